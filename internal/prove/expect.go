package prove

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// check checks an answer. Without expectations, it must be a success.
func (e *Expect) check(res *answer, at *scope) error {
	if e == nil {
		e = &Expect{}
	}
	if want, ok := e.status(res.status); !ok {
		return fmt.Errorf("status %d, want %s: %s", res.status, want, short(res.body))
	}
	for name, want := range e.Header {
		if got := res.header.Get(name); got != at.expand(want) {
			return fmt.Errorf("header %s is %q, want %q", name, got, at.expand(want))
		}
	}
	for path, want := range e.JSON {
		if got, want := plain(res.value(path)), plain(expandValue(want, at)); got != want {
			return fmt.Errorf("%s is %s, want %s, in %s", path, got, want, short(res.body))
		}
	}
	for path, bound := range e.More {
		if got, is := res.value(path).(float64); !is || got <= bound {
			return fmt.Errorf("%s is %s, want more than %v", path, plain(res.value(path)), bound)
		}
	}
	return inText(res.text, e.Contains, e.Lacks, at)
}

// status returns the expected status, and whether the answer has it.
func (e *Expect) status(got int) (want string, ok bool) {
	if e.Status == 0 {
		return "success", got/100 == 2
	}
	return strconv.Itoa(e.Status), got == e.Status
}

// inText checks what a text must contain and must not contain.
func inText(text string, contains, lacks []string, at *scope) error {
	for _, want := range contains {
		if want = at.expand(want); !strings.Contains(text, want) {
			return fmt.Errorf("%q is not in %s", want, short([]byte(text)))
		}
	}
	for _, bad := range lacks {
		if bad = at.expand(bad); strings.Contains(text, bad) {
			return fmt.Errorf("%q must not be in %s", bad, short([]byte(text)))
		}
	}
	return nil
}

// checkFiles searches the bytes of every file of a home, ignoring case.
func checkFiles(home string, want *Text, at *scope) error {
	for _, needle := range want.Contains {
		if in, err := fileWith(home, at.expand(needle)); err != nil {
			return err
		} else if in == "" {
			return fmt.Errorf("%q is in no file", at.expand(needle))
		}
	}
	for _, needle := range want.Lacks {
		if in, err := fileWith(home, at.expand(needle)); err != nil {
			return err
		} else if in != "" {
			return fmt.Errorf("%q is still in %s", at.expand(needle), in)
		}
	}
	return nil
}

// fileWith is the name of a file that contains a text, ignoring case; "" for none.
func fileWith(home, needle string) (name string, err error) {
	low := []byte(strings.ToLower(needle))
	err = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		var text []byte
		if err == nil && d.Type().IsRegular() {
			text, err = os.ReadFile(path)
		}
		if errors.Is(err, fs.ErrNotExist) && path != home { // the server has removed it meanwhile
			return nil
		}
		if err == nil && bytes.Contains(bytes.ToLower(text), low) {
			name = filepath.Base(path)
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("search the files: %w", err)
	}
	return name, nil
}

// plain is a JSON value in the form of scenarios.
func plain(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case nil:
		return "null"
	}
	return fmt.Sprint(v)
}

// short shortens an answer for a report.
func short(text []byte) string {
	const most = 300
	if len(text) <= most {
		return strings.TrimSpace(string(text))
	}
	return strings.ToValidUTF8(string(text[:most]), "") + "…"
}
