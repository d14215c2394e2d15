package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Plan says when backups are made, and which are kept: the newest of each of some days, and
// the newest of each of some weeks before them. Days and weeks are UTC's.
type Plan struct {
	Every         time.Duration
	Daily, Weekly int
}

// Kept is a backup in the directory of backups.
type Kept struct {
	File string
	At   time.Time // when its making began
	Size int64
}

const (
	keptPrefix, keptSuffix = "hermes-", ".tar"
	keptTime               = "20060102T150405Z"
)

// keptName is the name of a backup in the directory of backups.
func keptName(at time.Time) string { return keptPrefix + at.UTC().Format(keptTime) + keptSuffix }

// parseName is the time of a backup in the directory of backups. Files with other names are
// left alone.
func parseName(name string) (time.Time, bool) {
	text, ok := strings.CutPrefix(name, keptPrefix)
	if text, ok = cutSuffix(text, keptSuffix, ok); !ok {
		return time.Time{}, false
	}
	at, err := time.Parse(keptTime, text)
	return at, err == nil && keptName(at) == name
}

func cutSuffix(text, end string, ok bool) (string, bool) {
	rest, found := strings.CutSuffix(text, end)
	return rest, ok && found
}

// List lists the backups in a directory, oldest first.
func List(dir string) ([]Kept, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the backups: %w", err)
	}
	var out []Kept
	for _, e := range entries {
		at, ok := parseName(e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // it was deleted meanwhile
		}
		out = append(out, Kept{File: filepath.Join(dir, e.Name()), At: at, Size: info.Size()})
	}
	slices.SortFunc(out, byTime)
	return out, nil
}

func byTime(a, b Kept) int { return a.At.Compare(b.At) }

// day and week number a time's day and week.
func day(at time.Time) int64 { return floorDiv(at.Unix(), 24*60*60) }

func week(at time.Time) int64 { return floorDiv(day(at)+3, 7) } // the first of January 1970 was a Thursday

func floorDiv(n, by int64) int64 {
	if n < 0 {
		return -((-n + by - 1) / by)
	}
	return n / by
}

// Expired are the backups, given oldest first, that the plan does not keep. The newest one is
// always kept.
func (p Plan) Expired(all []Kept) []Kept {
	keep := make(map[int]bool)
	days, weeks := make(map[int64]bool), make(map[int64]bool)
	for i := len(all) - 1; i >= 0; i-- {
		at := all[i].At
		switch {
		case days[day(at)]: // a newer one of that day is kept
		case len(days) < max(1, p.Daily):
			days[day(at)], keep[i] = true, true
		case !weeks[week(at)] && len(weeks) < p.Weekly:
			weeks[week(at)], keep[i] = true, true
		}
	}
	var out []Kept
	for i := range all {
		if !keep[i] {
			out = append(out, all[i])
		}
	}
	return out
}

// mostYears bounds how far into the future it is computed when a backup ages out.
const mostYears = 20

// AgesOut is when each of some backups, given oldest first, is deleted, if backups go on from now.
// It is zero if that is too far away.
func (p Plan) AgesOut(all []Kept, now time.Time) []time.Time {
	out := make([]time.Time, len(all))
	left := make(map[Kept]int, len(all))
	for i := range all {
		left[all[i]] = i
	}
	p.Every = max(p.Every, time.Hour) // more often, nothing else is kept
	held, end := slices.Clone(all), now.AddDate(mostYears, 0, 0)
	for at := now; len(left) > 0 && at.Before(end); {
		if due := p.due(held, at); due.After(at) {
			at = due
			continue
		}
		held = append(held, Kept{At: at})
		slices.SortFunc(held, byTime) // some may be of a time that is yet to come
		for _, gone := range p.Expired(held) {
			held = slices.DeleteFunc(held, func(k Kept) bool { return k == gone })
			if i, ours := left[gone]; ours {
				out[i] = at
				delete(left, gone)
			}
		}
		at = at.Add(p.Every)
	}
	return out
}

// due is when the next backup is to be made, if there are some, given oldest first.
func (p Plan) due(all []Kept, now time.Time) time.Time {
	for i := len(all) - 1; i >= 0; i-- {
		if !all[i].At.After(now) { // the clock may have been set back
			return all[i].At.Add(p.Every)
		}
	}
	return now
}
