package prove

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// check looks at an answer. Without expectations it must be a success.
func (e *Expect) check(res *answer, at *scope) error {
	if e == nil {
		e = &Expect{}
	}
	if ok := res.status/100 == 2; e.Status == 0 && !ok || e.Status != 0 && e.Status != res.status {
		want := "success"
		if e.Status != 0 {
			want = strconv.Itoa(e.Status)
		}
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

// inText looks for what a text must and must not have in it.
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

// checkFiles looks at the bytes of every file of a home, in any case of letters.
func checkFiles(home string, want *Text, at *scope) error {
	found := make(map[string]string)
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text = bytes.ToLower(text)
		for _, list := range [][]string{want.Contains, want.Lacks} {
			for _, needle := range list {
				if needle = at.expand(needle); bytes.Contains(text, []byte(strings.ToLower(needle))) {
					found[needle] = filepath.Base(path)
				}
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("search the files: %w", err)
	}
	for _, needle := range want.Contains {
		if needle = at.expand(needle); found[needle] == "" {
			return fmt.Errorf("%q is in no file", needle)
		}
	}
	for _, needle := range want.Lacks {
		if needle = at.expand(needle); found[needle] != "" {
			return fmt.Errorf("%q is still in %s", needle, found[needle])
		}
	}
	return nil
}

// plain is a JSON value as a person writes it in a scenario.
func plain(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case nil:
		return "null"
	}
	return fmt.Sprint(v)
}

// short cuts what is shown of an answer.
func short(text []byte) string {
	const most = 300
	if len(text) <= most {
		return strings.TrimSpace(string(text))
	}
	return strings.ToValidUTF8(string(text[:most]), "") + "…"
}
