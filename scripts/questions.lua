-- For wrk: questions that are never repeated, starting from the given number.
local actions = {"evict", "retry", "parse", "verify", "schedule", "merge", "close", "compress", "watch", "encode", "cancel", "mount", "split", "resolve"}
local topics = {"pod", "node", "request", "token", "cache", "file", "index", "error", "timeout", "lock", "queue", "volume", "user", "config", "stream", "batch"}
local reasons = {"when+memory+is+low", "after+a+restart", "for+each+tenant", "in+parallel", "before+it+expires", "with+a+limit"}
local number

function init(arguments)
  number = tonumber(arguments[1]) or 0
end

function request()
  number = number + 1
  local topic = topics[math.floor(number / 7) % #topics + 1]
  local words = {"how", "to", actions[number % #actions + 1], "a", topic, reasons[number % #reasons + 1], number}
  return wrk.format("GET", "/api/v1/search?q=" .. table.concat(words, "+"))
end
