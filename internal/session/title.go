package session

import (
	"strconv"
	"strings"
)

// TitleBase is a title without its number: "Plan" for "Plan #3".
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

// NextTitle is the title itself if it is free, else its next free numbered form: "Plan
// #2", "Plan #3"…. It may fill a gap left by a deleted session. It calls taken at most
// about forty times, however many titles there are.
func NextTitle(title string, taken func(string) (bool, error)) (string, error) {
	if title == "" {
		return "", nil
	}
	if used, err := taken(title); err != nil || !used {
		return title, err
	}
	base := TitleBase(title)
	numbered := func(n int) string { return base + " #" + strconv.Itoa(n) }
	last, free := 1, 2 // last is taken; free is tried next
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
