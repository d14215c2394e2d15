package lineage

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The prices of media follow OpenAI's documentation. They are upper bounds where the
// price depends on what only a decoder of the medium can tell, because the budget must
// hold whatever a client or an import sends.
const (
	// ImageTokens is the price of an image: "Images and vision" charges 85 tokens for low
	// detail. The size of the image in bytes does not matter.
	ImageTokens = 85
	// maxURL is the longest URL that is a URL and not words: RFC 9110, section 4.1, asks
	// readers for 8,000 bytes.
	maxURL = 8_000
	// "Managing costs" of the Realtime API charges a token for 100 ms of sound. MP3 takes
	// 8,000 bit/s or more, which is 100 bytes for each token. WAV takes 8,000 bytes/s or
	// more, which is 800 bytes for each token.
	soundBytes, waveBytes = 100, 800
	// fileBytes are the bytes of a file for each token. "PDF files" charges a file's text,
	// and "What are tokens" counts four characters to a token.
	fileBytes = 4
)

// mediaTokens is the price of a member of a message that holds an image, a sound, a
// file, or data that only its model server can read. ok is false for a value that is
// none of these, which is counted as words: the name alone makes no medium of a text.
func mediaTokens(name string, value jsontext.Token) (tokens int, ok bool) {
	switch name {
	case "url", "image_url":
		if text := value.String(); strings.HasPrefix(text, "data:") {
			return payloadTokens(text, fileBytes)
		} else if len(text) <= maxURL && !strings.ContainsAny(text, " \t\r\n") && hasScheme(text) {
			return ImageTokens, true
		}
	case "data":
		return payloadTokens(value.String(), soundBytes)
	case "file_data", "encrypted_content", "signature":
		return payloadTokens(value.String(), fileBytes)
	}
	return 0, false
}

func hasScheme(url string) bool {
	return strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")
}

// payloadTokens is the price of data in base64, alone or in a data URL. perToken are the
// bytes for each token, unless the data themselves say what they are.
func payloadTokens(text string, perToken int) (tokens int, ok bool) {
	kind := ""
	if rest, found := strings.CutPrefix(text, "data:"); found {
		if kind, text, found = strings.Cut(rest, ";base64,"); !found {
			return 0, false
		}
	}
	if !isBase64(text) {
		return 0, false
	}
	switch {
	case strings.HasPrefix(kind, "image/"):
		return ImageTokens, true
	case strings.HasPrefix(text, "UklGR"): // "RIFF", with which a WAV file begins
		perToken = max(perToken, waveBytes)
	case strings.HasPrefix(kind, "audio/"):
		perToken = soundBytes
	}
	return max(ImageTokens, len(text)/4*3/perToken), true
}

// isBase64 reports whether a text has the characters of base64 only, in either alphabet.
func isBase64(text string) bool {
	text = strings.TrimRight(text, "=")
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', c == '+', c == '/', c == '-', c == '_':
		default:
			return false
		}
	}
	return text != ""
}
