import {
  type ColumnDefinitionNode,
  DataTypeNode,
  type KyselyPlugin,
  type OperationNode,
  OperationNodeTransformer,
  type QueryId,
  RawNode,
} from 'kysely';

/**
 * What the column types of the migrations are in PostgreSQL, so that both engines behave alike: text is ordered by its code
 * points whatever the database's own language, and integers have 64 bits, for SQLite finds nothing under an id that
 * is too great where PostgreSQL would fail.
 */
const postgresTypes: Readonly<Record<string, string>> = {
  text: 'text collate "C"',
  integer: 'bigint',
  serial: 'bigserial',
};

/** Gives the columns of every table that is made or widened their types of PostgreSQL. */
export const postgresColumnTypes: KyselyPlugin = {
  transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
  transformResult: ({ result }) => Promise.resolve(result),
};

class ColumnTypeTransformer extends OperationNodeTransformer {
  protected override transformColumnDefinition(
    node: ColumnDefinitionNode,
    queryId?: QueryId,
  ): ColumnDefinitionNode {
    const column = super.transformColumnDefinition(node, queryId);
    return { ...column, dataType: postgresTypeOf(column.dataType) };
  }
}

function postgresTypeOf(type: OperationNode): OperationNode {
  const name = DataTypeNode.is(type) ? postgresTypes[type.dataType] : undefined;
  return name === undefined ? type : RawNode.createWithSql(name);
}

const transformer = new ColumnTypeTransformer();
