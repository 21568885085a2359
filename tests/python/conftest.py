# SPDX-License-Identifier: Apache-2.0
import os

os.environ["HF_HUB_OFFLINE"] = "1"  # models are built from configurations; nothing is downloaded
