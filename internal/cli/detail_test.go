package cli_test

import "testing"

// TestDetailOfTheDisk: a program that watches the server is told how much room there is.
func TestDetailOfTheDisk(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil, "--addr", "127.0.0.1:0")
	var out struct {
		Data struct {
			Disk struct {
				Free, Total uint64
				Low         bool
			}
		}
	}
	callAPI(t, s.addr, "GET", "/health/detailed", "", 200, &out)
	if disk := out.Data.Disk; disk.Total == 0 || disk.Free > disk.Total || disk.Low && disk.Free > 1<<30 {
		t.Errorf("got %+v, want the room of this machine's disk", disk)
	}
}
