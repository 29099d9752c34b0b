// Fuzzes a grammar with broken variants of real sources, under AddressSanitizer. See scripts/fuzz-grammars.sh.
//
// usage: fuzz SEEDS INPUTS RANDOM INPUT
//
// It starts with every prefix of every seed, because the most common bug of scanners is to miss the end of the text, and
// continues with mutations. The current text is always in the mapped file INPUT, so that it is available after a crash. A text
// that takes more than ten seconds of CPU time counts as a hang.

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <tree_sitter/api.h>
#include <unistd.h>

enum { MAX_TEXT = 128 << 10, MAX_SEED = 8 << 10, MAX_SEEDS = 4096, MAX_PREFIXES = 1500, HANG_SECONDS = 10 };

const TSLanguage *LANGUAGE(void);

typedef struct {
  char *bytes;
  unsigned length;
} Text;

static Text seeds[MAX_SEEDS];
static unsigned seed_count;
static Text text;
static unsigned long long random_state;

static unsigned below(unsigned limit) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return limit > 0 ? (unsigned)((random_state >> 11) % limit) : 0;
}

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// The product also stops a parse after one second.
static double deadline;

static bool is_over(TSParseState *state) {
  (void)state;
  return processor_seconds() > deadline;
}

static const char *read_text(void *payload, uint32_t at, TSPoint point, uint32_t *length) {
  const Text *whole = payload;
  (void)point;
  *length = at < whole->length ? whole->length - at : 0;
  return *length > 0 ? whole->bytes + at : "";
}

static void on_alarm(int signal) {
  (void)signal;
  static const char message[] = "HANG\n";
  write(2, message, sizeof message - 1);
  _exit(77);
}

// CPU time instead of wall-clock time, which passes even if a busy machine does not run this process.
static void limit_processor_time(long seconds) {
  struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

static double parse(void) {
  double start = processor_seconds();
  deadline = start + 1;
  limit_processor_time(HANG_SECONDS);
  TSParser *parser = ts_parser_new();
  ts_parser_set_language(parser, LANGUAGE());
  TSInput input = {.payload = &text, .read = read_text, .encoding = TSInputEncodingUTF8};
  TSParseOptions options = {.progress_callback = is_over};
  TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, options);
  if (tree) ts_tree_delete(tree);
  ts_parser_delete(parser);
  limit_processor_time(0);
  return processor_seconds() - start;
}

static void take(const Text *seed) {
  text.length = seed->length;
  memcpy(text.bytes, seed->bytes, seed->length);
}

static void insert(unsigned at, const char *bytes, unsigned length) {
  if (text.length + length > MAX_TEXT) return;
  memmove(text.bytes + at + length, text.bytes + at, text.length - at);
  memcpy(text.bytes + at, bytes, length);
  text.length += length;
}

// The length of a part of the text, at most `limit` bytes from `at`.
static unsigned part(unsigned at, unsigned limit) {
  unsigned length = below(limit) + 1;
  return at + length > text.length ? text.length - at : length;
}

// Creates deep nesting, and long runs of one element.
static void repeat(unsigned at) {
  char piece[32], run[MAX_SEED];
  unsigned length = part(at, sizeof piece), times = below(3) ? below(8) : below(600), filled = 0;
  memcpy(piece, text.bytes + at, length);
  for (; times > 0 && filled + length <= sizeof run; times--, filled += length) memcpy(run + filled, piece, length);
  insert(at, run, filled);
}

// Creates lines with increasing indentation.
static void indent(unsigned at) {
  char piece[24];
  static char lines[MAX_TEXT / 4];
  unsigned length = part(at, sizeof piece), levels = below(4) ? below(10) : below(200), filled = 0;
  memcpy(piece, text.bytes + at, length);
  for (unsigned level = 0; level < levels && filled + level + length + 1 <= sizeof lines; level++) {
    memset(lines + filled, ' ', level);
    memcpy(lines + filled + level, piece, length);
    filled += level + length;
    lines[filled++] = '\n';
  }
  insert(at, lines, filled);
}

static void run_of(unsigned at, char character, unsigned length) {
  char run[1280];
  memset(run, character, length);
  insert(at, run, length);
}

static void mutate(void) {
  static const char marks[] = "\n\t \"'`{}()[]<>#$@\\:;,%&|*?!~^=-+./";
  take(&seeds[below(seed_count)]);
  for (unsigned steps = 1 + below(6); steps > 0; steps--) {
    unsigned at = below(text.length + 1);
    const Text *other = &seeds[below(seed_count)];
    switch (below(9)) {
      case 0: text.length = at; break;
      case 1: {
        unsigned length = part(at, 20);
        memmove(text.bytes + at, text.bytes + at + length, text.length - at - length);
        text.length -= length;
        break;
      }
      case 2: case 3: repeat(at); break;
      case 4: {
        unsigned from = below(other->length);
        insert(at, other->bytes + from, below(other->length - from));
        break;
      }
      case 5: if (text.length > 0) text.bytes[below(text.length)] = (char)below(128); break;
      case 6: run_of(at, marks[below(sizeof marks - 1)], below(4) ? 1 : below(500)); break;
      case 7: indent(at); break;
      default: run_of(at, (char)('a' + below(26)), below(3) ? below(20) : below(1200));
    }
  }
}

static void read_seeds(const char *directory) {
  DIR *entries = opendir(directory);
  if (!entries) exit(2);
  for (struct dirent *entry; (entry = readdir(entries)) && seed_count < MAX_SEEDS;) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
    if (!file) continue;
    Text *seed = &seeds[seed_count++];
    seed->bytes = malloc(MAX_SEED);
    seed->length = (unsigned)fread(seed->bytes, 1, MAX_SEED, file);
    fclose(file);
  }
  closedir(entries);
}

int main(int count, char **arguments) {
  if (count != 5) return 2;
  read_seeds(arguments[1]);
  // A number of inputs instead of a duration: every grammar gets equally many, even on a busy machine, and a seed can be
  // repeated.
  long wanted = atol(arguments[2]);
  random_state = 88172645463325252ULL ^ ((unsigned long long)atol(arguments[3]) * 0x9E3779B97F4A7C15ULL);
  int file = open(arguments[4], O_RDWR | O_CREAT | O_TRUNC, 0644);
  if (seed_count == 0 || file < 0 || ftruncate(file, MAX_TEXT) != 0) return 2;
  text.bytes = mmap(NULL, MAX_TEXT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  signal(SIGVTALRM, on_alarm);

  long inputs = 0;
  double slowest = 0;
  for (unsigned seed = 0; seed < seed_count && inputs < wanted; seed++) {
    take(&seeds[seed]);
    unsigned longest = text.length < MAX_PREFIXES ? text.length : MAX_PREFIXES;
    for (text.length = 0; text.length <= longest && inputs < wanted; text.length++, inputs++) parse();
  }
  for (; inputs < wanted; inputs++) {
    mutate();
    double seconds = parse();
    if (seconds > slowest) slowest = seconds;
  }
  printf("%ld inputs, slowest %.2f s\n", inputs, slowest);
  return 0;
}
