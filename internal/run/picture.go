package run

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Images reads the images that people sent.
type Images interface {
	// Image returns an image in a form that models take, with its type. ok is false for a
	// file that is no such image, that is too large for a model, or that is not kept any more.
	Image(ctx context.Context, o owner.Owner, id session.FileID) (mime string, data []byte, ok bool)
}

// mostPictured is how many bytes of images a turn sends to a model.
const mostPictured = 20 << 20

// pictured is the turn's input as the model is sent it: with the images that came with it.
// They are sent in this turn only; the transcript names them, and does not have them.
func (t *laidOut) pictured(ctx context.Context) []session.Message {
	from := t.runner.images
	if from == nil || !session.Any(t.input.asked, func(m *session.Message) bool { return len(m.Files) > 0 }) {
		return t.input.asked
	}
	shown, room := slices.Clone(t.input.asked), mostPictured
	for i := range shown {
		var parts []part
		for _, id := range shown[i].Files {
			mime, data, ok := from.Image(ctx, t.req.Owner, id)
			if !ok || len(data) > room {
				continue
			}
			room -= len(data)
			parts = append(parts, imagePart(mime, data))
		}
		picture(&shown[i], parts)
	}
	return shown
}

// part is a part of a message's content on the chat completions wire.
type part struct {
	Type  string    `json:"type"`
	Text  string    `json:"text,omitempty"`
	Image *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

func imagePart(mime string, data []byte) part {
	return part{Type: "image_url", Image: &imageURL{"data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(data)}}
}

// picture puts images behind the words of a message.
func picture(m *session.Message, images []part) {
	if len(images) == 0 {
		return
	}
	said := struct {
		Content string `json:"content"`
	}{m.Content}
	if m.Wire != nil && json.Unmarshal(m.Wire, &said) != nil {
		return // its content is in parts already
	}
	wire, err := json.Marshal(struct {
		Role    session.Role `json:"role"`
		Content []part       `json:"content"`
	}{m.Role, slices.Insert(images, 0, part{Type: "text", Text: said.Content})})
	if err != nil {
		return // the words alone are sent
	}
	m.Wire, m.Tokens = wire, m.Tokens+len(images)*lineage.ImageTokens
}
