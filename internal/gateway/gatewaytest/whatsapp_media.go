package gatewaytest

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"
)

// waLinkLife is how long the address of a file is good.
const waLinkLife = 5 * time.Minute

// waStored is a file that the fake keeps.
type waStored struct {
	data []byte
	mime string
}

// waLink is the address of a file.
type waLink struct {
	media string
	until time.Time
}

// waMimes are the types of files that can be sent.
func waMimes() []string {
	return []string{"text/plain", "application/pdf", "image/jpeg", "image/png", "audio/ogg", "video/mp4"}
}

// upload keeps a file of the client.
func (s *WhatsApp) upload(req *WhatsAppRequest) (any, error) {
	if !slices.Contains(waMimes(), req.Mime) {
		return nil, waBad(100, "Param file must be a file with one of the supported types; the type is "+req.Mime)
	}
	id := s.nextID("20000%06d")
	s.files[id] = waStored{data: req.File.Data, mime: req.Mime}
	return map[string]any{"id": id}, nil
}

// media says where a file can be fetched.
func (s *WhatsApp) media(req *WhatsAppRequest) (any, error) {
	f, ok := s.files[req.Path]
	if !ok {
		return nil, waBad(100, "Unsupported get request. Object does not exist")
	}
	link := s.nextID("link%06d")
	s.links[link] = waLink{media: req.Path, until: s.opt.Now().Add(waLinkLife)}
	sum := sha256.Sum256(f.data)
	return map[string]any{
		"messaging_product": "whatsapp", "id": req.Path, "url": s.URL + "/media/" + link, "mime_type": f.mime,
		"sha256": hex.EncodeToString(sum[:]), "file_size": len(f.data),
	}, nil
}

// download gives the content of a file.
func (s *WhatsApp) download(req *WhatsAppRequest) (any, error) {
	link, ok := s.links[req.Path]
	if !ok || s.opt.Now().After(link.until) {
		return nil, &waError{Code: 100, Details: "the address is not good any more", Status: 404}
	}
	return waFile(s.files[link.media].data), nil
}
