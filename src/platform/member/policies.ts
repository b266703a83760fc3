/** The policies that all threads know, by the numbers that shared memory holds. */
import {
  AbortPolicy,
  CallerRunsPolicy,
  DiscardOldestPolicy,
  DiscardPolicy,
  type RejectedExecutionHandler,
  type RejectionPolicy,
} from "../../pool/rejection.ts"

const POLICIES = [AbortPolicy, CallerRunsPolicy, DiscardPolicy, DiscardOldestPolicy]

/** 0 if the handler is no ready-made policy. */
export function policyNumber(handler: object): number {
  return POLICIES.indexOf(handler as RejectionPolicy) + 1
}

/** The policy with this number, if there is one. */
export function policyOf(number: number): RejectedExecutionHandler | undefined {
  return POLICIES[number - 1]
}
