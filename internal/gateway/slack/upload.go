package slack

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"strings"

	api "github.com/slack-go/slack"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// maxLooks is how often the adapter looks for a message with a file. Slack shares the file
// some time after it has said so.
const maxLooks = 6

// upload sends a file: Slack gives an address, takes the bytes, and makes the message. Until
// the last step nothing can be seen in the chat.
func (a *Adapter) upload(ctx context.Context, o *gateway.Out) (gateway.MessageID, error) {
	if len(o.File.Data) == 0 || len(o.File.Data) > maxFile {
		return "", &gateway.SendError{Reason: gateway.Refused, Text: "Slack takes no empty file, and none over 20 MB."}
	}
	id, err := a.stored(ctx, o)
	if err != nil {
		f := a.failed(err, false)
		if f.Reason == gateway.Unknown {
			f.Reason = gateway.Temporary
		}
		return "", f
	}
	watching, wrote := watched(ctx)
	if _, err := a.api.CompleteUploadExternalContext(watching, completion(o, id)); err != nil {
		return "", a.failed(err, wrote.Load())
	}
	a.sent(standing(o))
	return a.shared(ctx, o, id), nil
}

// stored brings the bytes to Slack, and returns the id of the file.
func (a *Adapter) stored(ctx context.Context, o *gateway.Out) (string, error) {
	u, err := a.api.GetUploadURLExternalContext(ctx, api.GetUploadURLExternalParameters{FileName: fileName(o), FileSize: len(o.File.Data)})
	if err != nil {
		return "", err
	}
	p := api.UploadToURLParameters{UploadURL: u.UploadURL, Reader: bytes.NewReader(o.File.Data), Filename: fileName(o)}
	return u.FileID, a.api.UploadToURL(ctx, p)
}

// completion is the last step. The text is a comment, or blocks if there are buttons.
func completion(o *gateway.Out, fileID string) api.CompleteUploadExternalParameters {
	p := api.CompleteUploadExternalParameters{
		Files:           []api.FileSummary{{ID: fileID, Title: o.File.Name}},
		Channel:         o.Place.Chat,
		ThreadTimestamp: standing(o).Thread,
	}
	text := written(o)
	if len(o.Buttons) == 0 {
		p.InitialComment = text
		return p
	}
	for _, part := range sections(text) {
		p.Blocks.BlockSet = append(p.Blocks.BlockSet, section(part))
	}
	p.Blocks.BlockSet = append(p.Blocks.BlockSet, actions(o.Buttons))
	return p
}

// sections cuts a text into parts that fit into sections, between words.
func sections(text string) []string {
	var parts []string
	for text != "" {
		size := sectionSize(text)
		parts = append(parts, text[:size])
		text = text[size:]
	}
	return parts
}

// sectionSize is how many bytes of a text stand in the next section.
func sectionSize(text string) int {
	count := 0
	for i := range text {
		if count == maxSection {
			if blank := strings.LastIndexAny(text[:i], "\n "); blank > 0 {
				return blank + 1
			}
			return i
		}
		count++
	}
	return len(text)
}

// fileName is the name of the file with the id of the message, because a message with a file
// has no metadata by which Find could know it. People see the title, which has no id.
func fileName(o *gateway.Out) string {
	name := cmp.Or(path.Base(strings.ReplaceAll(o.File.Name, `\`, "/")), "file")
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "-" + o.ID + ext
}

// shared waits for the message with a file. Slack has taken the file and shows it when it can,
// sometimes after a while. Until then the id of the file stands for the message: a file that is
// sent again would be shown twice.
func (a *Adapter) shared(ctx context.Context, o *gateway.Out, fileID string) gateway.MessageID {
	wait := a.pace.look
	for range maxLooks {
		if m, ok, _ := a.Find(ctx, o); ok {
			return m
		}
		if !pause(ctx, wait) {
			break
		}
		wait *= 2
	}
	return gateway.MessageID(fileID)
}
