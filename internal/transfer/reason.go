package transfer

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hermes-memory/hermes/internal/fault"
)

// What libraries say of damaged bytes is told to people without the names of the libraries.

// wasCut says of a file or a value that its end is missing.
const wasCut = "it was cut off"

// reason is what a library says of damaged bytes.
func reason(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return wasCut
	}
	text := err.Error()
	for _, library := range []string{"jsontext", "json", "gzip", "flate", "zip", "zstd"} {
		text = strings.TrimPrefix(text, library+": ")
	}
	return text
}

// noJSON is the fault of a value that is no JSON, with the place within the value.
func noJSON(err error) error {
	why, place := reason(err), ""
	if at, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		why = reason(at.Err)
		place = fmt.Sprintf(", at byte %d of it", at.ByteOffset)
		if at.JSONPointer != "" {
			place += fmt.Sprintf(", within %q", at.JSONPointer)
		}
	}
	return fault.Wrap(fault.Invalid, notJSON, "It is not JSON: "+why+place+andTheRest, err)
}
