/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-xml.h - sessions in a file of LTTng's, as `lttng save` writes them.
 *
 * The parser knows nothing but elements and their text. It refuses a document type declaration,
 * and so all entities but XML's own five; depth and number of elements have limits.
 */
#ifndef CLI_LOAD_SESSION_XML_H
#define CLI_LOAD_SESSION_XML_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/client/session-file.h"

/* True if the text begins as XML does, and JSON does not. */
bool session_xml_is(const char *text, size_t size);
/*
 * Makes an object that session_file_parse() could have read, not checked yet; the caller puts
 * *file. `tell` is called for each part that has no counterpart and is left out. 0, or -EINVAL with
 * the fault and its line in `why`.
 */
int session_xml_parse(const char *text, size_t size, struct json_object **file,
		      void (*tell)(const char *text), char why[SESSION_FILE_WHY_SIZE]);

#endif /* CLI_LOAD_SESSION_XML_H */
