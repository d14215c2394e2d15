package session

import (
	"strconv"
	"strings"
)

// TitleBase is a title without the number of a continuation: "Plan" of
// "Plan #3".
func TitleBase(title string) string {
	at := strings.LastIndex(title, " #")
	if at <= 0 {
		return title
	}
	if n, err := strconv.Atoi(title[at+2:]); err != nil || n < 2 || title[at+2] == '+' || title[at+2] == '0' {
		return title
	}
	return title[:at]
}

// NextTitle is the title itself if it is free, else a numbered form of it that
// is: "Plan #2", "Plan #3"…. A gap left by a deleted session may be filled.
// It asks taken some forty times at most, however many there are.
func NextTitle(title string, taken func(string) (bool, error)) (string, error) {
	if title == "" {
		return "", nil
	}
	if used, err := taken(title); err != nil || !used {
		return title, err
	}
	base := TitleBase(title)
	numbered := func(n int) string { return base + " #" + strconv.Itoa(n) }
	last, free := 1, 2 // last is known to be taken, free is to be tried
	for {
		used, err := taken(numbered(free))
		if err != nil {
			return "", err
		}
		if !used {
			break
		}
		last, free = free, free*2
	}
	for free-last > 1 {
		middle := last + (free-last)/2
		used, err := taken(numbered(middle))
		if err != nil {
			return "", err
		}
		if used {
			last = middle
		} else {
			free = middle
		}
	}
	return numbered(free), nil
}
