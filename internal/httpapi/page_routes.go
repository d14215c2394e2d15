package httpapi

import "github.com/hermes-memory/hermes/internal/owner"

// pageRoutes are the page, how it signs in, and what was made for it. Other clients may use
// them as well.
func (s *server) pageRoutes() []route {
	return []route{
		{"GET", "/assets/{version}/{path...}", "", s.asset},
		{"GET", "/favicon.ico", "", s.favicon},

		{"GET", "/api/page", "", s.describePage},
		{"GET", signInPath, anyKey, s.listTokens},
		{"POST", signInPath, "", s.signIn}, // it takes a key or a code
		{"DELETE", signInPath, anyKey, s.signOut},
		{"DELETE", signInPath + "/{id}", anyKey, s.endAnother},
		{"POST", "/api/page/codes", anyKey, s.createCode},
		{"GET", "/api/me", anyKey, s.me},

		{"GET", "/api/events", anyKey, s.tellNews},
		{"GET", "/api/cost", owner.SessionsRead, s.costReport},
		{"GET", "/api/config", owner.Admin, s.listSettings},
		{"GET", "/api/doctor", owner.Admin, s.examine},
		{"GET", "/api/jobs/runs", owner.Jobs, s.listAllRuns},
		{"GET", "/api/memory/scopes", owner.Memory, s.listScopes},
		{"GET", "/api/memory/timeline", owner.Memory, s.scopeTimeline},
		{"GET", "/api/memory/state", owner.Memory, s.scopeState},

		{"GET", "/api/sessions/{id}/messages/{seq}", owner.SessionsRead, s.getMessage},
	}
}
