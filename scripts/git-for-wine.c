// A git.exe for tests under wine, which has no git: runs the git of Linux through a shell script.
//
// Wine does not report when such a program ends or its exit code, and gives it no pipes. So input, output and the exit code are
// files, and the one with the exit code appears last. Drive Z has the paths of Linux, so the folders of the tests must be there.
#include <windows.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <wchar.h>

static FILE *script;

// Quotes an argument, with `Z:\a\b` as `/a/b`.
static void write_argument(const wchar_t *text) {
    char bytes[32768];
    WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes, sizeof bytes, NULL, NULL);
    fputs(" '", script);
    for (const char *at = bytes; *at; at++) {
        if ((*at == 'Z' || *at == 'z') && at[1] == ':' && (at[2] == '\\' || at[2] == '/')) {
            for (at += 2; *at; at++) fputc(*at == '\\' ? '/' : *at, script);
            break;
        }
        if (*at == '\'') fputs("'\\''", script);
        else fputc(*at, script);
    }
    fputc('\'', script);
}

static void copy(FILE *from, FILE *to) {
    char bytes[65536];
    size_t count;
    while ((count = fread(bytes, 1, sizeof bytes, from)) > 0) fwrite(bytes, 1, count, to);
}

static FILE *open_beside(const char *base, const char *ending, const char *mode) {
    char path[MAX_PATH + 8];
    snprintf(path, sizeof path, "%s%s", base, ending);
    return fopen(path, mode);
}

static void print_and_delete(const char *base, const char *ending, FILE *to) {
    char path[MAX_PATH + 8];
    snprintf(path, sizeof path, "%s%s", base, ending);
    FILE *from = fopen(path, "rb");
    if (!from) return;
    copy(from, to);
    fclose(from);
    DeleteFileA(path);
}

int main(void) {
    char folder[MAX_PATH], base[MAX_PATH], unix_base[MAX_PATH], command[2 * MAX_PATH];
    GetTempPathA(sizeof folder, folder);
    GetTempFileNameA(folder, "git", 0, base);
    if (base[0] != 'Z') return fprintf(stderr, "git for wine: TEMP is not on drive Z\n"), 125;
    strcpy(unix_base, base + 2);
    for (char *at = unix_base; *at; at++) if (*at == '\\') *at = '/';

    FILE *input = open_beside(base, ".in", "wb");
    if (GetFileType(GetStdHandle(STD_INPUT_HANDLE)) == FILE_TYPE_PIPE) {
        _setmode(0, _O_BINARY);
        copy(stdin, input);
    }
    fclose(input);

    script = fopen(base, "wb");
    fputs("unset LD_LIBRARY_PATH HOME\ngit", script);
    int count;
    wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &count);
    for (int i = 1; i < count; i++) write_argument(arguments[i]);
    fprintf(script, " <'%s.in' >'%s.out' 2>'%s.err'\necho $? >'%s.tmp'; mv '%s.tmp' '%s.end'\n", unix_base, unix_base, unix_base,
            unix_base, unix_base, unix_base);
    fclose(script);

    snprintf(command, sizeof command, "Z:\\bin\\sh %s", unix_base);
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    if (!CreateProcessA("Z:\\bin\\sh", command, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &process))
        return fprintf(stderr, "git for wine: no /bin/sh: %lu\n", GetLastError()), 125;
    FILE *end;
    while (!(end = open_beside(base, ".end", "r"))) Sleep(2);
    int code = 125;
    fscanf(end, "%d", &code);
    fclose(end);
    _setmode(1, _O_BINARY);
    _setmode(2, _O_BINARY);
    print_and_delete(base, ".out", stdout);
    print_and_delete(base, ".err", stderr);
    FILE *nowhere = fopen("NUL", "wb");
    print_and_delete(base, ".end", nowhere);
    print_and_delete(base, ".in", nowhere);
    DeleteFileA(base);
    return code;
}
