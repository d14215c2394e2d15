package transfer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The same export may come with other white space and other escapes: a person has looked at it through a tool that formats
// JSON, or the other program has changed its library. A conversation is known by hashes, so JSON that becomes a text or an
// id has one form: without white space, and with the shortest escapes. The order of members and the digits of numbers stay
// as the file has them, because they may mean something to the tool that is called.
//
// Earlier versions of this program took the bytes of the file. What they read is kept next to the one form, so that a
// conversation which they have imported is recognised.

// anyText takes what the exports have: names that are there twice, and texts that are not UTF-8.
func anyText() jsontext.Options {
	return jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// canonical is a JSON value in the one form. earlier is the value as earlier versions of this program took it; "" if that
// is the same. What is no JSON stays as it is.
func canonical(raw json.RawMessage) (text, earlier string) {
	formatted, err := jsontext.AppendFormat(nil, raw, anyText())
	switch text = string(formatted); {
	case err != nil:
		return string(raw), ""
	case text == string(raw):
		return text, ""
	}
	return text, string(raw)
}

// rawCall is a call whose arguments are JSON in the export.
func rawCall(id, name string, arguments json.RawMessage) Call {
	call := Call{ID: id, Name: name}
	call.Arguments, call.Earlier = canonical(arguments)
	return call
}

// identify gives a conversation its id in the other program. One without gets a hash over its value, which is too large
// to be formatted in memory. Earlier versions of this program hashed the bytes of the file.
func (c *Conversation) identify(id string, raw *bulk) {
	if c.ID = id; id != "" {
		return
	}
	earlier := raw.hashed(copyBytes)
	if c.ID = cmp.Or(raw.hashed(copyTokens), earlier); c.ID != earlier {
		c.Former = append(c.Former, earlier)
	}
}

// hashed is an id made of a value as it is written to a hash; "" if it cannot be.
func (b *bulk) hashed(write func(h hash.Hash, b *bulk) error) string {
	h := sha256.New()
	if write(h, b) != nil { // who read the value before has the error
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// copyBytes writes a value as the file has it.
func copyBytes(h hash.Hash, b *bulk) error {
	_, err := b.WriteTo(h)
	return err
}

// copyTokens writes a value in the one form.
func copyTokens(h hash.Hash, b *bulk) error {
	in, out := jsontext.NewDecoder(b.reader(), anyText()), jsontext.NewEncoder(lineless{h}, anyText())
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = out.WriteToken(token)
		}
		if err != nil {
			return err
		}
	}
}

// lineless leaves out the end of the line that an encoder writes behind a value. The one form has no other.
type lineless struct{ io.Writer }

// Write implements io.Writer.
func (w lineless) Write(p []byte) (int, error) {
	_, err := w.Writer.Write(bytes.ReplaceAll(p, []byte("\n"), nil))
	return len(p), err
}
