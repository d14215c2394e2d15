package sqlite

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/storetest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Store { return openPatient(t) })
}
