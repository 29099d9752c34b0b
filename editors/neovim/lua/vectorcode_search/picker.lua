-- Shows places in the picker that the user has: Telescope, fzf-lua, `vim.ui.select`, or the quickfix list.

local M = {}

local function line_of(place)
  return string.format("%s:%d  %s", place.shown, place.lnum, place.text)
end

function M.open(place)
  vim.cmd("edit " .. vim.fn.fnameescape(place.path))
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.min(place.lnum, last), 0 })
  vim.cmd("normal! zz")
end

local pickers = {}

function pickers.telescope(title, places)
  local conf = require("telescope.config").values
  local finder = require("telescope.finders").new_table({
    results = places,
    entry_maker = function(place)
      local line = line_of(place)
      return { value = place, display = line, ordinal = line, filename = place.path, lnum = place.lnum }
    end,
  })
  local settings = { prompt_title = title, finder = finder, sorter = conf.generic_sorter({}), previewer = conf.grep_previewer({}) }
  require("telescope.pickers").new({}, settings):find()
end

pickers["fzf-lua"] = function(title, places)
  local lines = {}
  for _, place in ipairs(places) do
    -- The form of grep, which its previewer and its actions understand.
    table.insert(lines, string.format("%s:%d:1:%s", place.path, place.lnum, place.text))
  end
  local fzf = require("fzf-lua")
  fzf.fzf_exec(lines, { prompt = title .. "> ", previewer = "builtin", actions = fzf.defaults.actions.files })
end

function pickers.select(title, places)
  vim.ui.select(places, { prompt = title, format_item = line_of, kind = "vectorcode" }, function(place)
    if place then M.open(place) end
  end)
end

function pickers.quickfix(title, places)
  local items = {}
  for _, place in ipairs(places) do
    table.insert(items, { filename = place.path, lnum = place.lnum, end_lnum = place.end_lnum, text = place.text })
  end
  vim.fn.setqflist({}, " ", { title = "vectorcode: " .. title, items = items })
  vim.cmd("copen")
end

function M.pick(title, places, name)
  if not name then
    name = (pcall(require, "telescope") and "telescope") or (pcall(require, "fzf-lua") and "fzf-lua") or "select"
  end
  pickers[name](title, places)
end

return M
