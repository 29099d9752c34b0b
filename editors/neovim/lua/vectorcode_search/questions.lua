-- The questions, and their answers as places: { path, lnum, end_lnum, text }. `done` is called with the places, or with nil and
-- the program's message.

local M = {}

-- The folder of the repository around the file, or the current one.
function M.root()
  local start = vim.fn.expand("%:p:h")
  local git = vim.fn.finddir(".git", vim.fn.fnameescape(start ~= "" and start or vim.fn.getcwd()) .. ";")
  local root = git ~= "" and vim.fn.fnamemodify(git, ":p:h:h") or vim.fn.getcwd()
  return vim.fn.resolve(root)
end

-- Runs the program without a shell. `jobstart` and not `vim.system`, which came with Neovim 0.10.
local function run(options, arguments, done)
  local root = M.root()
  local output, errors = {}, {}
  local command = { options.program, "--quiet", "--color", "never", "--project-path", root }
  vim.list_extend(command, arguments)
  local started, job = pcall(vim.fn.jobstart, command, {
    cwd = root,
    stdin = "null",
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = function(_, lines) output = lines end,
    on_stderr = function(_, lines) errors = lines end,
    on_exit = function(_, code)
      local text = table.concat(output, "\n")
      if code > 1 then
        return done(nil, vim.trim(table.concat(errors, "\n")))
      end
      done(text ~= "" and vim.json.decode(text, { luanil = { object = true, array = true } }) or {}, nil, root)
    end,
  })
  if not started or job <= 0 then
    done(nil, options.program .. " was not found; `npm install -g vectorcode` installs it")
  end
end

local function place(root, path, line, end_line, text)
  return { path = root .. "/" .. path, shown = path, lnum = line, end_lnum = end_line or line, text = text }
end

local function hits(done)
  return function(answer, failure, root)
    if failure then return done(nil, failure) end
    local places = {}
    for _, hit in ipairs(answer.hits or {}) do
      local text = string.format("%s %.2f%s", hit.symbol or hit.kind, hit.score, hit.weak and " weak" or "")
      table.insert(places, place(root, hit.file_path, hit.start_line, hit.end_line, text))
    end
    done(places)
  end
end

local function node_place(root, node, edge)
  local marks = { node.name }
  if edge and edge.confidence ~= "certain" then table.insert(marks, edge.confidence) end
  if node.is_test then table.insert(marks, "test") end
  return place(root, node.path or node.name, edge and edge.line or node.line or 1, nil, table.concat(marks, " "))
end

-- All nodes but the first, which was asked about, each at the line of its use.
local function reached(done)
  return function(answer, failure, root)
    if failure then return done(nil, failure) end
    local uses, places = {}, {}
    for _, edge in ipairs(answer.edges or {}) do
      uses[edge.from] = uses[edge.from] or edge
    end
    for index, node in ipairs(answer.nodes or {}) do
      if index > 1 then table.insert(places, node_place(root, node, uses[index - 1])) end
    end
    done(places)
  end
end

-- The word may be defined here, or elsewhere, or be no symbol: then the definition around the line counts.
local function ask_about(options, action, here, done)
  local targets = { here.path .. ":" .. here.line }
  if here.word ~= "" then
    targets = { here.path .. "#" .. here.word, here.word, targets[1] }
  end
  local function try(index)
    run(options, { "graph", action, "--json", "--", targets[index] }, function(answer, failure, root)
      if failure and index < #targets then return try(index + 1) end
      done(answer, failure, root)
    end)
  end
  try(1)
end

function M.search(options, query, done)
  run(options, { "search", "--json", "-n", tostring(options.limit), "--", query }, hits(done))
end

function M.similar(options, here, done)
  run(options, { "similar", "--json", "--", here.path .. ":" .. here.line }, hits(done))
end

function M.callers(options, here, done)
  ask_about(options, "callers", here, reached(done))
end

function M.impact(options, here, done)
  ask_about(options, "impact", here, reached(done))
end

function M.changes(options, done)
  run(options, { "graph", "impact", "--diff", "--json" }, function(answer, failure, root)
    if failure then return done(nil, failure) end
    local places = {}
    for _, symbol in ipairs(answer.symbols or {}) do
      table.insert(places, place(root, symbol.path, symbol.start_line, symbol.end_line, symbol.name .. " changed"))
    end
    for _, test in ipairs(answer.tests or {}) do
      table.insert(places, place(root, test.path, test.line or 1, nil, test.name .. " test to run"))
    end
    for _, user in ipairs(answer.affected or {}) do
      table.insert(places, node_place(root, user))
    end
    done(places)
  end)
end

return M
