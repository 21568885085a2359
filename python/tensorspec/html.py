# SPDX-License-Identifier: Apache-2.0
"""Contracts as HTML for notebooks: what the terminal's table says, without script or style sheet."""
from __future__ import annotations

from html import escape


def _table(head, rows):
    cell = '<td style="text-align:left">'
    body = "".join("<tr>" + "".join(f"{cell}{escape(str(value))}</td>" for value in row) + "</tr>" for row in rows)
    return "<table><thead><tr>" + "".join(f"<th>{escape(name)}</th>" for name in head) + f"</tr></thead><tbody>{body}</tbody></table>"


def _sizes(symbol):
    if symbol.min is None and symbol.max is None:
        return "any"
    text = f"{'' if symbol.min is None else symbol.min}..{'' if symbol.max is None else symbol.max}"
    if symbol.multiple_of != 1:
        text += f", multiples of {symbol.multiple_of}" + (f" plus {symbol.residue}" if symbol.residue else "")
    return text


def contract_html(contract) -> str:
    """The contract as one HTML fragment; names are escaped."""
    parts = []
    for number, variant in enumerate(contract.variants):
        title = f"{variant.calls} calls, {variant.distinct} different"
        parts.append(f"<p>{f'variant {number}: ' if len(contract.variants) > 1 else ''}{title}</p>")
        tensors = [(kind, tensor) for kind, group in (("input", variant.inputs), ("output", variant.outputs)) for tensor in group]
        parts.append(_table(("", "tensor", "dtype", "shape"), [
            (kind, tensor.name, "|".join(tensor.dtypes) or "any", f"[{', '.join(map(str, tensor.shape))}]") for kind, tensor in tensors]))
        if variant.symbols:
            parts.append(_table(("symbol", "sizes", "most often", "seen", "source"), [
                (symbol.name, _sizes(symbol), "" if symbol.opt is None else symbol.opt, symbol.seen,
                 "declared" if symbol.declared else symbol.source) for symbol in variant.symbols]))
        doubts = [f"{claim.tensor}[{claim.axis}] = {claim.dim}: {claim.certainty}" for claim in variant.claims
                  if claim.certainty in ("weak", "open")]
        doubts += [question.text + (f" ({question.ask})" if question.ask else "") for question in variant.questions]
        if doubts:
            parts.append("<p>not sure</p><ul>" + "".join(f"<li>{escape(doubt)}</li>" for doubt in doubts) + "</ul>")
    return "<div>" + "".join(parts) + "</div>"
