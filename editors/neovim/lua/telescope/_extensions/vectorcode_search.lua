-- `:Telescope vectorcode_search` and its other questions, such as `:Telescope vectorcode_search callers`.

local vectorcode = require("vectorcode_search")

local function ask(question)
  return function(options)
    vectorcode[question](options and options.query)
  end
end

return require("telescope").register_extension({
  exports = {
    vectorcode_search = ask("search"),
    search = ask("search"),
    similar = ask("similar"),
    callers = ask("callers"),
    impact = ask("impact"),
    changes = ask("changes"),
  },
})
