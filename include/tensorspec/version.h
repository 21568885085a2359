/* SPDX-License-Identifier: Apache-2.0
 *
 * The only place the version is written; CMake and the Python package read it from here. */
#ifndef TENSORSPEC_VERSION_H_
#define TENSORSPEC_VERSION_H_

#define TENSORSPEC_VERSION_MAJOR 0
#define TENSORSPEC_VERSION_MINOR 1
#define TENSORSPEC_VERSION_PATCH 0
#define TENSORSPEC_VERSION "0.1.0"

#endif
