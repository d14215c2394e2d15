package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// turnStatements are the statements of a turn. A connection that knows them has told the server of
// each in a round trip of its own, and the server has looked their tables up.
func turnStatements() []string {
	all := []string{
		drawTicket, firstTicket, passOn, selectState, // the place in the line of a lineage
		selectTip, selectOldest, selectNewest, titleTaken,
		beginReading, selectManifest, selectBlocks, quotesByPlace, reserveIDs,
		`BEGIN`, bounds, lookAtNode, addOwner, lockOwner, lockKnownOwner, `COMMIT`,
		insertSession, endSession, updateCounted, writeKnown, insertMessage, insertFact, supersedeFact, markFacts,
	}
	for _, scope := range []memory.Scope{{Key: "k"}, {Root: "r"}} {
		for _, ends := range [...][2]string{
			{factsWanted + sameNumber}, {factsWanted + sameName}, {factsOfWanted}, {selectShelf, factsOnShelf},
		} {
			query, _ := factQuery(scope, ends[0], ends[1])
			all = append(all, query)
		}
		for _, by := range [...][3]string{
			{unindexedByKey, unindexedByRoot, unindexedByRoot}, {unindexedFactsByKey, unindexedFactsByRoot, unindexedFactsByRoot},
			{documentsWantedByKey, documentsWantedByRoot, documentsWantedOfLineage},
		} {
			query, _ := ofScope(scope, by[0], by[1], by[2])
			all = append(all, query)
		}
	}
	return all
}

// warmPatience bounds how long a start waits for statements to be prepared.
const warmPatience = 2 * time.Second

// warmUp prepares the statements of turns on the connections that the server keeps, so that the first
// turns do not. What fails, or takes too long, is prepared when it is needed.
func (db *DB) warmUp(ctx context.Context) {
	if db.pool.Config().ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		return // behind a pooler no connection knows a statement for long
	}
	ctx, cancel := context.WithTimeout(ctx, warmPatience)
	defer cancel()
	var held []*pgxpool.Conn // all at once, so that each is another connection
	for range minConns {
		conn, err := db.pool.Acquire(ctx)
		if err != nil {
			break
		}
		held = append(held, conn)
	}
	var preparing sync.WaitGroup
	for _, conn := range held {
		preparing.Go(recovery.Func(func() {
			defer conn.Release()
			for _, query := range turnStatements() {
				if _, err := conn.Conn().Prepare(ctx, numbered(query), numbered(query)); err != nil {
					return
				}
			}
		}, recovery.Logged(ctx, db.log, "preparing statements")))
	}
	preparing.Wait()
}
