package durable

import (
	"os"
	"time"
)

// A Pace keeps the writing of a large file from holding up others that use the same disk and the
// same processors. Without a pace the system writes much of the file at once, and each commit of
// a database waits behind that. The file is synced slice by slice, and after each slice the
// writer rests for a multiple of the time that the slice took.
type Pace struct {
	file  *os.File
	rest  func(time.Duration)
	open  int64 // bytes that are not synced
	begun time.Time
}

const (
	paceSlice = 1 << 20 // bytes
	paceRest  = 2       // times what a slice took
	// maxPaceRest bounds a rest: a disk that stood still for long has no work left for others.
	maxPaceRest = 100 * time.Millisecond
)

// NewPace is the pace of a file, which begins now.
func NewPace(file *os.File) *Pace {
	return &Pace{file: file, begun: time.Now(), rest: func(d time.Duration) { <-time.After(d) }}
}

// Wrote says that n more bytes of the file were written. It returns when more may be.
func (p *Pace) Wrote(n int64) error {
	if p.open += n; p.open < paceSlice {
		return nil
	}
	p.open = 0
	if err := p.file.Sync(); err != nil {
		return err
	}
	p.rest(min(paceRest*time.Since(p.begun), maxPaceRest))
	p.begun = time.Now()
	return nil
}
