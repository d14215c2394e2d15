package transfer

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/hermes-memory/hermes/internal/fault"
)

const (
	// maxUnpacked bounds a file that was compressed, in bytes.
	maxUnpacked = 32 << 30
	// maxRatio bounds how many times larger than its compressed form a file is, and
	// freeRatio is the size up to which the ratio does not count.
	maxRatio, freeRatio = 1000, 1 << 20
	// maxWindow bounds what zstd looks back at, and with it its memory, in bytes. Files are
	// packed with up to 8 MiB unless somebody asks for more.
	maxWindow = 32 << 20
)

// packings are the compressions of single files, by the bytes that they begin with.
func packings() []packing {
	return []packing{
		{"gzip", "\x1f\x8b", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(bufio.NewReaderSize(r, 4<<10)) }},
		{"zstd", "\x28\xb5\x2f\xfd", func(r io.Reader) (io.Reader, error) {
			// Without concurrency the decoder has no goroutines, and needs no Close.
			return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		}},
	}
}

type packing struct {
	name, mark string
	open       func(r io.Reader) (io.Reader, error)
}

// unpacked is a stream without its compressions, which may stand within one another. The ratio is that to the
// outermost one.
func unpacked(r io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	tally := &counted{r: in}
	for depth := 0; ; depth++ {
		p := packingOf(in)
		switch {
		case p == nil:
			return in, nil
		case depth == maxNested:
			return nil, fault.New(fault.Invalid, "import_too_deep",
				fmt.Sprintf("A file of the input is packed more than %d times over. Unpack it, and name what is in it.", maxNested))
		}
		from := io.Reader(in)
		if depth == 0 {
			from = tally
		}
		plain, err := p.open(from)
		if err != nil {
			return nil, p.damaged(err)
		}
		in = bufio.NewReaderSize(&bounded{r: &sound{plain, *p}, packed: func() int64 { return tally.n }}, 64<<10)
	}
}

// packingOf is the compression that a stream begins with; nil for none.
func packingOf(in *bufio.Reader) *packing {
	begin, _ := in.Peek(4) // an error comes again with the next read
	for _, p := range packings() {
		if bytes.HasPrefix(begin, []byte(p.mark)) {
			return &p
		}
	}
	return nil
}

// corrupt is the code of the fault of a file that unpacks to other bytes than were packed: its
// ids may be right and its texts wrong, which no later import would mend.
const corrupt = "import_corrupt"

// damaged is the fault of a file that does not unpack. What is wrong with the packed bytes themselves is
// named already.
func (p packing) damaged(err error) error {
	if _, known := errors.AsType[*fault.Error](err); known {
		return err
	}
	if errors.Is(err, zip.ErrChecksum) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch) {
		return fault.Wrap(fault.Invalid, corrupt,
			"The file is packed with "+p.name+", and its checksum is wrong: it was damaged on its way. None of its conversations was taken. Get the export again.", err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) { // what came before is as it was packed
		return fault.Wrap(fault.Invalid, "import_unreadable",
			"The file is packed with "+p.name+", and ends before it can be unpacked whole: "+wasCut+". Get the export again.", err)
	}
	// what came before the place where the damage shows may be wrong, too
	return fault.Wrap(fault.Invalid, corrupt, "The file is packed with "+p.name+", and cannot be unpacked: "+reason(err)+
		". None of its conversations was taken. Get the export again, or unpack the file first.", err)
}

// sound reads an unpacked stream and names its faults.
type sound struct {
	r io.Reader
	p packing
}

// Read implements io.Reader.
func (s *sound) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // a reader says io.EOF itself
		err = s.p.damaged(err)
	}
	return n, err
}

// counted counts what is read.
type counted struct {
	r io.Reader
	n int64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// bounded reads a compressed file up to a size and up to a ratio to its compressed form.
type bounded struct {
	r      io.Reader
	packed func() int64
	n      int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.n += int64(n)
	if b.n > maxUnpacked {
		return 0, fault.New(fault.TooLarge, "import_too_large", "A compressed file of the input is larger than 32 GiB.")
	}
	if b.n > freeRatio && b.n/maxRatio > b.packed() {
		return 0, fault.New(fault.TooLarge, "import_bomb", "A file of the input is more than 1,000 times larger than its compressed form, as no export is. It was not read.")
	}
	return n, err
}
