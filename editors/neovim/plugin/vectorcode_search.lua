-- The commands. The module is loaded when the first of them is used.

local function command(name, question, description, nargs)
  vim.api.nvim_create_user_command(name, function(call)
    require("vectorcode_search")[question](call.args)
  end, { desc = description, nargs = nargs or 0 })
end

command("VecSearch", "search", "Find code by what it does", "*")
command("VecSimilar", "similar", "Find code similar to that under the cursor")
command("VecCallers", "callers", "Show who calls the symbol under the cursor")
command("VecImpact", "impact", "Show what a change of the symbol under the cursor may reach")
command("VecChanges", "changes", "Show what the uncommitted change may reach")
