// Stands between a program and the C library when it is preloaded, and counts the memory that the program takes:
// blocks of the heap with their headers, whether touched or not, and of mappings (its own, and those that glibc
// makes for large blocks) the pages that have been touched. That is the same number on every run, which resident
// memory is not: Linux counts it in batches, each core for itself.
//
// Mappings are looked at when one goes away and when the peak is asked for: in between they only grow. The heap
// counts with the most that it was since the last look, so that the peak is never too low.
//
// Not counted: thread stacks, code, and what glibc keeps for itself, all of which is there before the first job.
// For programs that render on one thread.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "allocation_counter.h"

// glibc's own names, so that nothing has to be looked up, which would allocate.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

enum { page = 4096, most_mappings = 1024 };

static struct {
    char *start;
    size_t bytes;
} mappings[most_mappings];

static size_t heap, highest_heap, highest;

static size_t touched_bytes(char *start, size_t bytes) {
    static unsigned char states[4096];
    size_t pages = 0;
    for (size_t done = 0; done < bytes; done += sizeof states * page) {
        size_t length = bytes - done < sizeof states * page ? bytes - done : sizeof states * page;
        if (mincore(start + done, length, states) != 0) {
            abort();
        }
        for (size_t index = 0; index < length / page; index++) {
            pages += states[index] & 1;
        }
    }
    return pages * page;
}

static void look(void) {
    size_t sum = highest_heap;
    for (size_t index = 0; index < most_mappings; index++) {
        if (mappings[index].start != NULL) {
            sum += touched_bytes(mappings[index].start, mappings[index].bytes);
        }
    }
    highest = sum > highest ? sum : highest;
    highest_heap = heap;
}

size_t allocation_counter_start(void) {
    highest_heap = heap;
    highest = 0;
    look();
    return highest;
}

size_t allocation_counter_peak(void) {
    look();
    return highest;
}

static size_t whole_pages(size_t bytes) { return (bytes + page - 1) / page * page; }

static void add_mapping(char *start, size_t bytes) {
    for (size_t index = 0; index < most_mappings; index++) {
        if (mappings[index].start == NULL) {
            mappings[index].start = start;
            mappings[index].bytes = bytes;
            return;
        }
    }
    abort();
}

// Mappings are given back whole. Nothing, where it is none of those that are counted.
static void remove_mapping(char *start) {
    for (size_t index = 0; index < most_mappings; index++) {
        if (mappings[index].start == start) {
            look();
            mappings[index].start = NULL;
            return;
        }
    }
}

// Before a block stands its size; the second bit of that says that it has a mapping of its own, which begins one
// word earlier.
static int is_mapped(void *block) { return (((size_t *)block)[-1] & 2) != 0; }
static char *mapping_of(void *block) { return (char *)((uintptr_t)block / page * page); }
static size_t bytes_in_heap(void *block) { return malloc_usable_size(block) + sizeof(size_t); }

static void *counted(void *block) {
    if (block == NULL) {
        return NULL;
    }
    if (is_mapped(block)) {
        char *start = mapping_of(block);
        add_mapping(start, (size_t)((char *)block + malloc_usable_size(block) - start));
    } else {
        heap += bytes_in_heap(block);
        highest_heap = heap > highest_heap ? heap : highest_heap;
    }
    return block;
}

static void forget(void *block) {
    if (block == NULL) {
        return;
    }
    if (is_mapped(block)) {
        remove_mapping(mapping_of(block));
    } else {
        heap -= bytes_in_heap(block);
    }
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = memalign(alignment, size);
    return *block == NULL ? ENOMEM : 0;
}

void free(void *block) {
    forget(block);
    __libc_free(block);
}

// As if it were always copied, which takes both.
void *realloc(void *block, size_t size) {
    void *moved = malloc(size);
    if (moved == NULL) {
        return NULL;
    }
    size_t before = block == NULL ? 0 : malloc_usable_size(block);
    __builtin_memcpy(moved, block, before < size ? before : size);
    free(block);
    return moved;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
    void *start = (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
    if (start != MAP_FAILED && (flags & MAP_ANONYMOUS) != 0) {
        add_mapping(start, whole_pages(length));
    }
    return start;
}

void *mmap64(void *address, size_t length, int protection, int flags, int file, off_t offset) {
    return mmap(address, length, protection, flags, file, offset);
}

int munmap(void *start, size_t length) {
    remove_mapping(start);
    return (int)syscall(SYS_munmap, start, length);
}
