/* labview_caller.c - loads the slider-crank's DLL as LabVIEW does: by name, functions by name, instance data by address.
 *
 * Argument: the DLL. Prints one line per fact; the test holds them against the library of its own computer.
 */
#include <stdint.h>
#include <stdio.h>
#include <windows.h>

typedef int (*slot_call)(void *);
typedef int (*own_call)(void *, int *);
typedef int (*rows_call)(int, const double *, int, double *, int, int *, int);
typedef int (*position_call)(int, double, double *, double *, double *, double *, double *);

enum { STEPS = 5, WIDTH = 8, THREADS = 4 };

static FARPROC found(HMODULE library, const char *name)
{
    const FARPROC function = GetProcAddress(library, name);
    if (function == NULL) {
        printf("missing %s\n", name);
        ExitProcess(3);
    }
    return function;
}

static rows_call dostep_rows;

/* A node that runs in a thread of its own, with its own instance. */
static DWORD WINAPI node(void *instance)
{
    const double force[STEPS] = { 10.0, -5.0, 0.0, 2.5, 1.0 };
    double out[STEPS * WIDTH];
    int status[STEPS];
    return (DWORD)dostep_rows(*(int *)instance, force, STEPS, out, STEPS * WIDTH, status, STEPS);
}

int main(int count, char **arguments)
{
    HMODULE library = (count > 1) ? LoadLibraryA(arguments[1]) : NULL;
    if (library == NULL) {
        printf("not loaded: %lu\n", GetLastError());
        return 2;
    }
    const slot_call reserve = (slot_call)found(library, "slider_crank_lv_reserve");
    const slot_call unreserve = (slot_call)found(library, "slider_crank_lv_unreserve");
    const slot_call abort_node = (slot_call)found(library, "slider_crank_lv_abort");
    const own_call own = (own_call)found(library, "slider_crank_lv_own");
    const position_call position = (position_call)found(library, "slider_crank_lv_position");
    dostep_rows = (rows_call)found(library, "slider_crank_lv_dostep_rows");

    double to[5];
    printf("position %d", position(0, 0.75, &to[0], &to[1], &to[2], &to[3], &to[4]));
    for (int i = 0; i < 5; i++) {
        printf(" %a", to[i]);
    }
    printf("\nnull %d\n", position(0, 0.75, NULL, &to[1], &to[2], &to[3], &to[4]));

    void *slots[THREADS] = { NULL };
    int instances[THREADS];
    printf("callbacks");
    for (int i = 0; i < THREADS; i++) {
        printf(" %d", reserve(&slots[i]));
        printf(" %d", own(&slots[i], &instances[i]));
        printf(" %d", instances[i]);
    }
    const double force[STEPS] = { 10.0, -5.0, 0.0, 2.5, 1.0 };
    double out[STEPS * WIDTH];
    int status[STEPS];
    printf("\nsteps %d", dostep_rows(instances[0], force, STEPS, out, STEPS * WIDTH, status, STEPS));
    for (int i = 0; i < (STEPS * WIDTH); i++) {
        printf(" %a", out[i]);
    }
    HANDLE threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        threads[i] = CreateThread(NULL, 0, node, &instances[i], 0, NULL);
    }
    WaitForMultipleObjects(THREADS, threads, TRUE, 30000);
    printf("\nthreads");
    for (int i = 0; i < THREADS; i++) {
        DWORD result = 0;
        GetExitCodeThread(threads[i], &result);
        printf(" %d", (int)result);
    }
    printf("\nabort %d", abort_node(&slots[0]));
    printf(" %d", dostep_rows(instances[0], force, STEPS, out, STEPS * WIDTH, status, STEPS));
    printf("\nunreserve");
    for (int i = 0; i < THREADS; i++) {
        printf(" %d", unreserve(&slots[i]));
        printf(" %d", slots[i] == NULL);
    }
    printf("\nafterwards %d", dostep_rows(instances[0], force, STEPS, out, STEPS * WIDTH, status, STEPS));
    printf("\nfreed %d\n", FreeLibrary(library));
    return 0;
}
