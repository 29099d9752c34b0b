-- Run in a headless Neovim, from this folder: VECTORCODE=path/to/vectorcode nvim --headless -u NONE -l test/run.lua
-- (before Neovim 0.9: -u NONE -c "luafile test/run.lua"). Asks the real program about a scratch project.

local here = vim.fn.getcwd()
vim.opt.runtimepath:append(here)
vim.cmd("runtime plugin/vectorcode_search.lua")

local root = vim.fn.resolve(vim.fn.tempname())
vim.env.HOME = root .. "-home"

local function write(path, lines)
  vim.fn.mkdir(vim.fn.fnamemodify(root .. "/" .. path, ":h"), "p")
  vim.fn.writefile(lines, root .. "/" .. path)
end

write("src/retry.py", { "def call_with_backoff(request):", '    """Tries again after a failure, waiting longer each time."""', "    return request()" })
write("src/order.py", { "from src.retry import call_with_backoff", "", "", "def place_order():", "    return call_with_backoff(print)" })
vim.fn.system({ "git", "-C", root, "init", "--quiet" })
vim.fn.system({ "git", "-C", root, "add", "." })
vim.fn.system({ "git", "-C", root, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "first" })
vim.cmd("cd " .. vim.fn.fnameescape(root))

local shown, told
vim.ui.select = function(items, options, choose)
  shown = { items = items, prompt = options.prompt, lines = vim.tbl_map(options.format_item, items) }
  choose(items[1])
end
vim.notify = function(message) told = message end

-- Runs a command and waits for its picker or message.
local function ask(command)
  shown, told = nil, nil
  vim.cmd(command)
  assert(vim.wait(60000, function() return shown or told end, 20), command .. " did not answer")
end

local function has(part)
  assert(shown, "no picker, but: " .. tostring(told))
  assert(table.concat(shown.lines, "\n"):find(part, 1, true), part .. " is not in:\n" .. table.concat(shown.lines, "\n"))
end

local tests = {
  { "a search opens its best place", function()
    ask("VecSearch try again after a failure")
    has("src/retry.py:1  call_with_backoff")
    assert(vim.fn.expand("%:p") == root .. "/src/retry.py", vim.fn.expand("%:p"))
  end },
  { "callers of the word under the cursor, defined here", function()
    vim.fn.cursor(1, 6)
    ask("VecCallers")
    has("src/order.py:5  place_order")
  end },
  { "callers of a word that is defined in another file", function()
    vim.cmd("edit src/order.py")
    vim.fn.cursor(5, 14)
    ask("VecCallers")
    has("src/order.py:5  place_order")
  end },
  { "impact and similar code", function()
    vim.cmd("edit src/retry.py")
    vim.fn.cursor(1, 6)
    ask("VecImpact")
    has("src/order.py")
    ask("VecSimilar")
  end },
  { "what the uncommitted change may reach", function()
    write("src/retry.py", { "def call_with_backoff(request):", "    return request() or request()" })
    vim.cmd("edit! src/retry.py")
    ask("VecChanges")
    has("call_with_backoff changed")
    has("src/order.py")
  end },
  { "the quickfix list", function()
    require("vectorcode_search.picker").pick("t", { { path = root .. "/src/order.py", shown = "src/order.py", lnum = 4, text = "x" } }, "quickfix")
    assert(vim.fn.getqflist()[1].lnum == 4)
    vim.cmd("cclose")
  end },
  { "a missing program is named", function()
    require("vectorcode_search").setup({ program = "/nonexistent/vectorcode" })
    ask("VecSearch x")
    assert(told and told:find("was not found", 1, true), tostring(told))
  end },
}

require("vectorcode_search").setup({ program = vim.env.VECTORCODE, picker = "select" })
local failed = 0
for _, test in ipairs(tests) do
  local ok, why = pcall(test[2])
  io.stdout:write((ok and "ok    " or "FAIL  ") .. test[1] .. (ok and "" or ": " .. tostring(why)) .. "\n")
  failed = failed + (ok and 0 or 1)
end
vim.fn.delete(root, "rf")
vim.fn.delete(root .. "-home", "rf")
vim.cmd(failed == 0 and "qall!" or "cquit!")
