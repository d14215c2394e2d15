package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/hermes-memory/hermes/internal/memory"
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

// warmUp prepares the statements of turns on the connections that the server keeps, so that the first
// turns do not. What fails is prepared when it is needed.
func (db *DB) warmUp(ctx context.Context) {
	if db.pool.Config().ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		return // behind a pooler no connection knows a statement for long
	}
	var held []*pgxpool.Conn
	defer func() {
		for _, conn := range held {
			conn.Release()
		}
	}()
	for range minConns {
		conn, err := db.pool.Acquire(ctx)
		if err != nil {
			return
		}
		held = append(held, conn)
	}
	for len(held) > 0 {
		conn := held[0]
		for _, query := range turnStatements() {
			if _, err := conn.Conn().Prepare(ctx, numbered(query), numbered(query)); err != nil {
				return
			}
		}
		held = held[1:]
		conn.Release()
	}
}
