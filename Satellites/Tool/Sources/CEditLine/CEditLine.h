// libedit. Swift can't call el_set, el_get and history, whose arguments are variable, nor read stdin and stdout.

#pragma once
#include <histedit.h>
#include <stdio.h>

typedef char *(*rowan_edit_prompt)(EditLine *);
typedef unsigned char (*rowan_edit_command)(EditLine *, int);

static inline EditLine *rowan_edit_open(int prints_errors) {
    return el_init("rowan", stdin, prints_errors ? stderr : stdout, stderr);
}

static inline void rowan_edit_set_data(EditLine *edit, void *data) { el_set(edit, EL_CLIENTDATA, data); }

static inline void *rowan_edit_data(EditLine *edit) {
    void *data = NULL;
    el_get(edit, EL_CLIENTDATA, &data);
    return data;
}

static inline void rowan_edit_set_prompt(EditLine *edit, rowan_edit_prompt prompt) { el_set(edit, EL_PROMPT, prompt); }
static inline void rowan_edit_set_reader(EditLine *edit, el_rfunc_t reader) { el_set(edit, EL_GETCFN, reader); }
static inline void rowan_edit_set_editor(EditLine *edit, const char *name) { el_set(edit, EL_EDITOR, name); }

static inline void rowan_edit_add(EditLine *edit, const char *name, const char *help, rowan_edit_command command) {
    el_set(edit, EL_ADDFN, name, help, command);
}

static inline void rowan_edit_bind(EditLine *edit, const char *key, const char *command) {
    el_set(edit, EL_BIND, key, command, NULL);
}

// Sets the terminal to editing, or back.
static inline void rowan_edit_prepare(EditLine *edit, int edits) { el_set(edit, EL_PREP_TERM, edits); }

// Draws the prompt and the line at the cursor.
static inline void rowan_edit_draw(EditLine *edit) { el_set(edit, EL_REFRESH); }

static inline void rowan_edit_set_history(EditLine *edit, History *entries) {
    el_set(edit, EL_HIST, history, entries);
}

static inline void rowan_history_limit(History *entries, int count) {
    HistEvent event;
    history(entries, &event, H_SETSIZE, count);
    history(entries, &event, H_SETUNIQUE, 1);
}

static inline void rowan_history_add(History *entries, const char *entry) {
    HistEvent event;
    history(entries, &event, H_ENTER, entry);
}
