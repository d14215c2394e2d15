# Two commands set everything up on a fresh machine: go run ./cmd/hermes serve
# and make test.

GO      ?= go
TOOLS    = $(GO) tool -modfile=tools/go.mod

.PHONY: release installed memory-report help build test unit race wire compat products pictures systems check lint fmt bench torture isolation markdown fuzz

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-13s %s\n", $$1, $$2}'

build: ## a static binary in bin/
	CGO_ENABLED=0 $(GO) build -buildvcs=auto -trimpath -o bin/hermes ./cmd/hermes

test: unit wire compat ## everything that must pass, in about nine minutes on two cores

# The build of the tests is the build of the program: without cgo. go vet shares its objects,
# and go test need not vet a second time.
PLAIN = CGO_ENABLED=0 $(GO) test -vet=off $(LESS_GC)

# Tests make much that is thrown away at once. Collecting half as often takes a fifth of the CPU
# time off them. It is said to the tests alone, because the compiler's memory would grow.
LESS_GC = -exec 'env GOGC=200'

unit: ## all Go tests; brings PostgreSQL
	tools/postgres
	CGO_ENABLED=0 $(GO) vet ./...
	$(PLAIN) -timeout 20m ./...
	CGO_ENABLED=0 $(GO) vet -C bench/torture ./...

# The race detector watches all code but the SQLite library. SQLite's own lock orders
# that code, and it takes four times as long under the detector.
RACE = -race '-gcflags=modernc.org/...=-race=false -d=checkptr=0' $(LESS_GC)

# Packages in which nothing can race: no code in them begins a goroutine or keeps state
# that changes (cmd/hermes checks that).
CALM = bench/memory internal/errand internal/language internal/markdown internal/mention internal/migrate internal/recall internal/transcript internal/transfer

# Tests of other packages in which nothing can race. They do one thing after the other: walks
# over every route, random and large texts, inputs of fuzz tests. Under the detector they take
# up to ten times as long, and `make test` runs them.
ALONE = ^(Fuzz.*|TestEveryChangeIsListed|TestErrorsDoNotLeak|TestIsolation|TestWritesStayInOneWorld|TestEveryRoute.*|TestNoAuthRoutes|TestOwners|$\
TestTurnFromAfar|TestLargeMessages?|TestImportLargeValues|TestImportStoresLargeMessages|TestImportKilled|TestBodySize|TestNamesApart|TestManyBlocks|TestManyTypes|$\
TestForgettingLeavesNothing|TestForgettingShortNames|TestForgettingIsNoOracle|TestUntrustedText|TestManyMissed|TestCostDoesNotGrow|TestPrompts|TestFactPages|$\
TestAppendReadsNothing|TestScopesLearnTheirOwnMessages|TestStrictUpstreamAcceptsEveryPrompt|TestDivision|TestTracesOfTheFormat|TestTracesFindWhatIsThere)$$

race: ## the Go tests under the race detector, without those in which nothing can race, and the tests of the rigs
	tools/postgres
	$(GO) test -vet=off $(RACE) -timeout 20m -skip '$(ALONE)' $$($(GO) list ./... | grep -vxF "$$($(GO) list $(addprefix ./,$(CALM)))")
	$(GO) test -C bench/torture -vet=off $(RACE) ./...

# Its tests wait for the database more than they work, so six run at once.
wire: ## the files of testdata/wire against two servers on one PostgreSQL database, which take the requests in turn
	tools/postgres
	$(PLAIN) -timeout 10m -parallel 6 -run '^TestWire$$' ./internal/httpapi -two-servers

compat: ## the official clients and web pages in a Chromium against a running server
	GO="$(GO)" compat/run

pictures: ## every screen of the web page in both themes and widths, in bin/pictures; ONLY=chat,facts for some
	GO="$(GO)" ONLY="$(ONLY)" PICTURES="$(CURDIR)/bin/pictures" compat/run pictures.mjs

products: ## Codex CLI, opencode and Claude Code from npm (1 GB) against a running server
	GO="$(GO)" compat/products/run

systems: ## all programs build for Windows and macOS, too
	for os in windows darwin; do CGO_ENABLED=0 GOOS=$$os $(GO) build ./... || exit 1; done

check: fmt lint systems test race ## what to run before a change is handed over

fmt: ## fail if anything is not formatted
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not gofmt-ed:"; gofmt -l $$(git ls-files '*.go'); exit 1; }

release: ## archives, packages, bills of material and checksums in dist/, published nowhere; ARGS for goreleaser
	$(GO) test -C tools/release ./sbom
	GO="$(GO)" tools/release/run $(ARGS)

installed: ## what a person installs: Windows under Wine, the deb, the unit, the image, proxies; needs root, 2 GB; ONLY=windows,unit for some
	GO="$(GO)" bench/installed/run $(subst $(comma), ,$(ONLY))

comma := ,

lint: ## static analysis with the rules of .golangci.yml
	$(TOOLS) golangci-lint run ./...
	cd bench/torture && $(GO) tool -modfile=../../tools/go.mod golangci-lint run ./...

bench: ## the tables of docs/appendix/benchmarks.md
	bench/run

memory-report: ## what memory reaches on text by another hand; REPORT=quick for 20 seconds, LOCOMO=file, FLAGS="-missed updates"
	$(GO) run ./bench/memory report $(if $(filter quick,$(REPORT)),-quick) $(if $(LOCOMO),-locomo "$(LOCOMO)") $(FLAGS)

torture: build ## every fault of docs/appendix/reliability.md; RIG=kill,drain for some, ROUNDS=20 for fewer rounds, OVER=5m for one long overload, CHATS=20 for more chats in pace
	$(GO) build -C bench/torture -o ../../bin/torture .
	bin/torture -hermes bin/hermes -only "$(RIG)" -rounds $(or $(ROUNDS),0) -over $(or $(OVER),0) -chats $(or $(CHATS),5)

CHECKS ?= 100000
markdown: ## a hundred thousand random texts, and hostile ones of 100 kB, for the chat platforms; CHECKS=10000 for fewer
	$(GO) test -count=1 -timeout 3h -run '^(TestSplitProperties|TestHostile)$$' ./internal/markdown -rapid.checks=$(CHECKS) -hostile=100000

CALLS ?= 1000000
SEED  ?= 1
STORE ?= sqlite
isolation: ## a million calls by three owners at once, none of whom may see another's; CALLS=50000 for fewer, STORE=postgres for the other store
	$(GO) test -count=1 -timeout 3h -v -run '^TestOwners$$' ./internal/httpapi -calls $(CALLS) -seed $(SEED) -store $(STORE)

FUZZTIME ?= 20s
fuzz: ## every fuzz target for FUZZTIME
	GO="$(GO)" FUZZTIME=$(FUZZTIME) bench/fuzz
