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
 * The PostgreSQL equivalents of the migrations' column types, so that both engines behave alike: text is
 * ordered by code point whatever the database's locale, and integers have 64 bits, because for an id that is
 * too large SQLite finds no row, where PostgreSQL would fail.
 */
const postgresTypes: Readonly<Record<string, string>> = {
  text: 'text collate "C"',
  integer: 'bigint',
  serial: 'bigserial',
};

/** Replaces the column types with those of PostgreSQL whenever a table is created or altered. */
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
