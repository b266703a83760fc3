/** The policies that all threads know, by numbers that stand in shared memory. */
import {
  AbortPolicy,
  CallerRunsPolicy,
  DiscardOldestPolicy,
  DiscardPolicy,
  type RejectedExecutionHandler,
  type RejectionPolicy,
} from "../../pool/rejection.ts"

const POLICIES = [AbortPolicy, CallerRunsPolicy, DiscardPolicy, DiscardOldestPolicy]

/** 0 if it is something else than a ready-made policy. */
export function policyNumber(handler: RejectedExecutionHandler): number {
  return POLICIES.indexOf(handler as RejectionPolicy) + 1
}

/** The policy with this number, if there is one. */
export function policyOf(number: number): RejectedExecutionHandler | undefined {
  return POLICIES[number - 1]
}
