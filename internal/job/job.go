// Package job runs prompts at their times. It owns jobs, their schedules, the
// ledger of due times (slots), the scheduler that makes each a turn of its
// session, and the outbox that carries what came of it to where it is wanted.
//
// A slot is a row, unique by job and due time; it is claimed with a lease and a
// fencing number, and its turn runs under an idempotency key made of both. So
// a slot fires once, over crashes and over several processes. The package knows
// no wire but the webhooks' and no database.
package job
