/* dc_contact.h as a shared library, and the layouts that a caller in another language has to agree with. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include <stddef.h>

extern const size_t layout[6];
const size_t layout[6] = {sizeof(dc_pose),     offsetof(dc_pose, t),       sizeof(dc_hull), sizeof(dc_arena),
                          sizeof(dc_distance), offsetof(dc_distance, wb)};
