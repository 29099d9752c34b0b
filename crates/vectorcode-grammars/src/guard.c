// Parses a text in a way that the allocator can end at any moment.
//
// tree-sitter asks whether to go on only between its steps, and a single step can take more memory than the machine has:
// at the end of a broken text it copies all stacks that are left, which grows with the square of the text. Neither can an
// allocation be refused, since tree-sitter ends the process then. So the allocator leaves the parse by a jump to here.
// What the parse had taken belongs to an arena that is emptied afterwards; parser and tree are not touched again.

#include <setjmp.h>
#include <stdint.h>
#include <tree_sitter/api.h>

// Saving the signal mask costs a call of the kernel, and the mask does not change.
#if defined(_WIN32)
#define MARK setjmp
#define JUMP longjmp
#else
#define MARK _setjmp
#define JUMP _longjmp
#endif

typedef struct {
  const char *bytes;
  uint32_t length;
} Text;

static const char *read_text(void *payload, uint32_t at, TSPoint position, uint32_t *length) {
  const Text *text = payload;
  (void)position;
  *length = at < text->length ? text->length - at : 0;
  return *length > 0 ? text->bytes + at : "";
}

// The tree of a text; NULL when `is_over` stopped the parse, or when it was left. `*way_out` is where to leave it as long
// as it lasts, and NULL afterwards. `*was_left` says that the parser must not be used again.
TSTree *vectorcode_guarded_parse(
  TSParser *parser, const char *bytes, uint32_t length, bool (*is_over)(TSParseState *state), void *payload,
  void **way_out, bool *was_left
) {
  jmp_buf here;
  Text text = {bytes, length};
  TSInput input = {.payload = &text, .read = read_text, .encoding = TSInputEncodingUTF8};
  TSParseOptions options = {.payload = payload, .progress_callback = is_over};
  *was_left = false;
  if (MARK(here) != 0) {
    *way_out = NULL;
    *was_left = true;
    return NULL;
  }
  *way_out = &here;
  TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, options);
  *way_out = NULL;
  return tree;
}

void vectorcode_leave_parse(void *way_out) {
  JUMP(*(jmp_buf *)way_out, 1);
}
