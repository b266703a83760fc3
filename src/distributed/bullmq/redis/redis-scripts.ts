/**
 * Scripts of corepool on BullMQ's keys, for what BullMQ cannot do in one step. KEYS[1] is always the queue's prefix,
 * with its colon; the other keys are built from it, as in BullMQ's own scripts. All keys of a queue are in one slot, or
 * there is no cluster.
 */

/** Whether the time of an outcome that came at `finishedAt` is over, by the server's clock. */
const IS_EXPIRED = `
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function isExpired(finishedAt, opts)
  local isRead, options = pcall(cjson.decode, opts or "")
  local keep = isRead and type(options) == "table" and type(options["keep"]) == "number" and options["keep"] or 0
  return tonumber(finishedAt) + keep < now
end`

/** ARGV: ids. Removes those outcomes of these jobs whose time is over. */
export const FORGET: string = `${IS_EXPIRED}
local prefix = KEYS[1]
for _, id in ipairs(ARGV) do
  local opts = redis.call("HGET", prefix .. id, "opts")
  if opts then
    for _, state in ipairs({"completed", "failed"}) do
      local finishedAt = redis.call("ZSCORE", prefix .. state, id)
      if finishedAt and isExpired(finishedAt, opts) then
        redis.call("ZREM", prefix .. state, id)
        redis.call("DEL", prefix .. id, prefix .. id .. ":logs")
      end
    end
  end
end
return 0`

/**
 * ARGV: 1 if outcomes are found also when their time is over, and ids. Returns for each id: state, due time, name,
 * data, returnvalue, failedReason, progress; or false.
 */
export const FIND: string = `${IS_EXPIRED}
local prefix = KEYS[1]
local function stateOf(id)
  for _, state in ipairs({"completed", "failed", "delayed", "prioritized"}) do
    local score = redis.call("ZSCORE", prefix .. state, id)
    if score then return state, score end
  end
  for _, state in ipairs({"active", "wait", "paused"}) do
    if redis.call("LPOS", prefix .. state, id) then return state, "0" end
  end
  return "unknown", "0"
end
local found = {}
for i = 1, #ARGV - 1 do
  local id = ARGV[i + 1]
  local fields = redis.call("HMGET", prefix .. id, "name", "data", "returnvalue", "failedReason", "progress", "opts")
  found[i] = false
  if fields[1] then
    local state, score = stateOf(id)
    local isEnded = state == "completed" or state == "failed"
    if ARGV[1] == "1" or not isEnded or not isExpired(score, fields[6]) then
      found[i] = {state, score, fields[1], fields[2], fields[3], fields[4], fields[5]}
    end
  end
end
return found`

/** ARGV: how many events to keep, and ids. Gives the ids of those that were removed. */
export const REMOVE = `
local prefix, removed = KEYS[1], {}
for i = 2, #ARGV do
  local id = ARGV[i]
  if redis.call("ZREM", prefix .. "prioritized", id) == 1 or redis.call("ZREM", prefix .. "delayed", id) == 1
    or redis.call("LREM", prefix .. "wait", 0, id) > 0 or redis.call("LREM", prefix .. "paused", 0, id) > 0 then
    redis.call("DEL", prefix .. id, prefix .. id .. ":logs")
    redis.call("XADD", prefix .. "events", "MAXLEN", "~", ARGV[1], "*", "event", "removed", "jobId", id)
    table.insert(removed, id)
  end
end
return removed`

/** ARGV: id, data. 1 if the job has not ended. */
export const UPDATE = `
local prefix, id = KEYS[1], ARGV[1]
if redis.call("EXISTS", prefix .. id) == 0 then return 0 end
if redis.call("ZSCORE", prefix .. "completed", id) or redis.call("ZSCORE", prefix .. "failed", id) then return 0 end
redis.call("HSET", prefix .. id, "data", ARGV[2])
return 1`

/** ARGV: id, data, token. 1 if the token holds the job. */
export const REWRITE = `
local prefix, id = KEYS[1], ARGV[1]
if redis.call("GET", prefix .. id .. ":lock") ~= ARGV[3] then return 0 end
redis.call("HSET", prefix .. id, "data", ARGV[2])
return 1`

/** ARGV: tokens. Returns id and token, alternately, of each job that one of them holds. */
export const HELD = `
local prefix, tokens, held = KEYS[1], {}, {}
for _, token in ipairs(ARGV) do tokens[token] = true end
for _, id in ipairs(redis.call("LRANGE", prefix .. "active", 0, -1)) do
  local token = redis.call("GET", prefix .. id .. ":lock")
  if token and tokens[token] then
    table.insert(held, id)
    table.insert(held, token)
  end
end
return held`

/**
 * ARGV: state, where to begin, how many to look at. Removes outcomes whose time is over; returns how many it has looked
 * at and how many of these it has removed.
 */
export const CLEAN: string = `${IS_EXPIRED}
local prefix, state, from, count = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local ended = redis.call("ZRANGE", prefix .. state, from, from + count - 1, "WITHSCORES")
local removed = 0
for i = 1, #ended, 2 do
  local id = ended[i]
  if isExpired(ended[i + 1], redis.call("HGET", prefix .. id, "opts")) then
    redis.call("ZREM", prefix .. state, id)
    redis.call("DEL", prefix .. id, prefix .. id .. ":logs")
    removed = removed + 1
  end
end
return {#ended / 2, removed}`
