/* device.h - of a name, whether a device or a pipe has it: what is written is then written as it is, where a file is replaced */
#ifndef DEVICE_H_INCLUDED
#define DEVICE_H_INCLUDED

#include <string.h>
#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#endif

static inline int is_device(const char *path)
{
#if defined(__unix__) || defined(__APPLE__)
    struct stat s;
    if (!strncmp(path, "/dev/std", 8) || !strncmp(path, "/dev/fd/", 8)) return 1;     /* links, at times to a file */
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode);
#else
    (void)path;
    return 0;
#endif
}

#endif /* DEVICE_H_INCLUDED */
