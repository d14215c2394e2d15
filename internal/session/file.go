package session

// FileID names a file that somebody sent. It is unique for its owner, and is data: it is
// never a path.
type FileID string
