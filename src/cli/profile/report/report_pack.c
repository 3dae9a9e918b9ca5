/* report_pack.c: the profile for the script, in few bytes. */
#include "cli/profile/report/report.h"

#include <string.h>

#define VALUE_B 8 /* of a number and its comma, on average */
#define EVENT_B 160

struct packer {
    json_t *texts, *index; /* list of texts, and their places in it */
    size_t left_B;         /* characters */
};

/* Runs of blanks as one tab: the page aligns columns itself. */
static void
shorten(char *to, size_t size_B, const char *text)
{
    size_t n = 0;
    for (; *text && n + 1 < size_B; text++) {
        size_t blanks = strspn(text, " ");
        to[n++] = blanks > 1 ? '\t' : *text;
        text += blanks > 1 ? blanks - 1 : 0;
    }
    while (n && (to[n - 1] == '\t' || to[n - 1] == ' '))
        n--;
    to[n] = 0;
}

static void
take_room(struct packer *pack, size_t size_B)
{
    pack->left_B -= size_B < pack->left_B ? size_B : pack->left_B;
}

/* The place of a text in the list, which it joins if it is new. */
static json_t *
place_text(struct packer *pack, const char *text)
{
    char key[1024];
    shorten(key, sizeof key, text);
    json_t *place = json_object_get(pack->index, key);
    if (place)
        return json_incref(place);
    take_room(pack, strlen(key) + 4);
    place = json_integer((json_int_t)json_array_size(pack->texts));
    json_array_append_new(pack->texts, json_string(key));
    json_object_set(pack->index, key, place);
    return place;
}

/* A list of objects as an array per key; null where an object lacks it. */
static json_t *
pack_list(struct packer *pack, const json_t *list)
{
    json_t *columns = json_object(), *object, *value;
    const char *key;
    size_t row;
    json_array_foreach(list, row, object)
    {
        json_object_foreach(object, key, value)
        {
            json_t *column = json_object_get(columns, key);
            if (!column) {
                column = json_array();
                json_object_set_new(columns, key, column);
            }
            while (json_array_size(column) < row)
                json_array_append_new(column, json_null());
            const char *text = json_string_value(value);
            json_array_append_new(column, !strcmp(key, "text") && text
                                              ? place_text(pack, text)
                                              : json_incref(value));
        }
        take_room(pack, VALUE_B * json_object_size(object));
    }
    json_object_foreach(columns, key, value)
    {
        while (json_array_size(value) < json_array_size(list))
            json_array_append_new(value, json_null());
    }
    return columns;
}

static json_t *
pack_kernel(struct packer *pack, json_t *kernel)
{
    json_t *copy = json_copy(kernel);
    const json_t *insns = json_object_get(kernel, "insns");
    if (pack->left_B && json_array_size(insns))
        json_object_set_new(copy, "insns", pack_list(pack, insns));
    else
        json_object_del(copy, "insns");
    return copy;
}

json_t *
report_pack(const json_t *profile, size_t limit_B)
{
    struct packer pack = {json_array(), json_object(), limit_B};
    json_t *packed = json_copy((json_t *)profile), *list = json_array();
    json_t *kernel;
    size_t i;
    json_array_foreach(json_object_get(profile, "kernels"), i, kernel)
        json_array_append_new(list, pack_kernel(&pack, kernel));
    json_object_set_new(packed, "kernels", list);
    json_object_set_new(packed, "texts", pack.texts);
    const json_t *draws = json_object_get(profile, "draws");
    if (draws)
        json_object_set_new(packed, "draws", pack_list(&pack, draws));
    const json_t *events = json_object_get(profile, "timeline");
    if (json_array_size(events) * EVENT_B < pack.left_B)
        json_object_set_new(packed, "timeline", pack_list(&pack, events));
    else
        json_object_del(packed, "timeline");
    json_decref(pack.index);
    return packed;
}
