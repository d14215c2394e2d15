package storage

// EventOpen selects the events of chats that are not over, and SendOpen the messages to chats that are not.
const (
	EventOpen = `state IN ('waiting', 'taken')`
	SendOpen  = `state IN ('waiting', 'sending', 'unknown', 'changed', 'parked')`
)
