-- Asks the program `vectorcode` and shows the places of its answer in a picker. The module is not called `vectorcode`, because
-- another plugin is.

local questions = require("vectorcode_search.questions")
local picker = require("vectorcode_search.picker")

local M = {}

-- `program`: the program to run. `limit`: maximum number of results of a search. `picker`: "telescope", "fzf-lua", "select" or
-- "quickfix"; nil takes the first of them that is installed.
M.options = { program = "vectorcode", limit = 20, picker = nil }

function M.setup(options)
  M.options = vim.tbl_extend("force", M.options, options or {})
end

local function show(title)
  return function(places, failure)
    if failure then
      vim.notify("vectorcode: " .. failure, vim.log.levels.ERROR)
    elseif #places == 0 then
      vim.notify("vectorcode: nothing found", vim.log.levels.INFO)
    else
      picker.pick(title, places, M.options.picker)
    end
  end
end

-- The word under the cursor and its place, as the program names them: relative to the project.
local function cursor(root)
  local path = vim.fn.resolve(vim.fn.expand("%:p"))
  return {
    word = vim.fn.expand("<cword>"),
    path = path:sub(#root + 2):gsub("\\", "/"),
    line = vim.api.nvim_win_get_cursor(0)[1],
  }
end

function M.search(query)
  if query and query ~= "" then
    return questions.search(M.options, query, show(query))
  end
  vim.ui.input({ prompt = "What does the code do? " }, function(input)
    if input and input ~= "" then
      questions.search(M.options, input, show(input))
    end
  end)
end

local function at_cursor(action, title)
  return function()
    -- The program reads the file from the disk.
    vim.cmd("silent! update")
    local here = cursor(questions.root())
    questions[action](M.options, here, show(title .. " " .. (here.word ~= "" and here.word or here.path)))
  end
end

M.similar = at_cursor("similar", "Similar to")
M.callers = at_cursor("callers", "Callers of")
M.impact = at_cursor("impact", "A change may reach, of")

function M.changes()
  questions.changes(M.options, show("The uncommitted change may reach"))
end

return M
