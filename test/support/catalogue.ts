import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';

export interface Column {
  table: string;
  name: string;
  /** The type as `format_type` writes it, e.g. `timestamp with time zone`. */
  type: string;
  nullable: boolean;
  /** A default, an identity or a generated value. */
  value: string | null;
}

// The table of migrations is not made by them; a partition is like its table, and which ones there are depends on
// the day.
const own = sql`n.nspname = 'public' and c.relname not like 'kysely%' and c.relname <> 'schema_migrations' and not c.relispartition`;

export async function columnsOf(db: Db): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      not a.attnotnull as nullable,
      coalesce(pg_get_expr(d.adbin, d.adrelid), case when a.attidentity <> '' then 'identity' end) as value
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where ${own} and c.relkind in ('r', 'p')
    order by c.relname, a.attnum`.execute(db);
  return rows;
}

/** Statements that make the schema in an empty database, without rows and partitions. */
export async function schemaOf(db: Db): Promise<string> {
  const tables = grouped(await columnsOf(db), ({ table }) => table);
  const options = await definitions(db, tableOptions);
  const constraints = await definitions(db, tableConstraints);
  const parts = [...tables].map(([table, columns]) => {
    const lines = [...columns.map(columnText), ...(constraints.get(table) ?? [])];
    return `create table ${table} (\n  ${lines.join(',\n  ')}\n)${(options.get(table) ?? []).join('')};`;
  });
  const { rows: others } = await otherObjects.execute(db);
  return `${[...parts, ...others.map(({ text }) => text)].join('\n\n')}\n`;
}

function columnText({ name, type, nullable, value }: Column): string {
  const origin = value === 'identity' ? ' generated always as identity' : value === null ? '' : ` default ${value}`;
  return `${name} ${type}${nullable ? '' : ' not null'}${origin}`;
}

type Definition = { owner: string; text: string };

async function definitions(db: Db, query: typeof tableOptions): Promise<Map<string, string[]>> {
  const { rows } = await query.execute(db);
  return new Map([...grouped(rows, ({ owner }) => owner)].map(([owner, all]) => [owner, all.map(({ text }) => text)]));
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

const tableOptions = sql<Definition>`
  select c.relname as owner, coalesce(
    ' with (' || array_to_string(c.reloptions, ', ') || ')', ' partition by ' || pg_get_partkeydef(c.oid)) as text
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where ${own} and (c.relkind = 'r' and c.reloptions is not null or c.relkind = 'p')`;

// NOT NULL is written with its column. A foreign key is written after both tables.
const tableConstraints = sql<Definition>`
  select c.relname as owner, 'constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid) as text
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
  where ${own} and k.contype not in ('f', 'n', 't')
  order by k.contype desc, k.conname`;

const otherObjects = sql<Definition>`
  select owner, text from (
    select 1 as kind, c.relname as owner, a.attname as name,
      format('alter table %I alter %I set storage %s;', c.relname, a.attname,
        case a.attstorage when 'e' then 'external' when 'm' then 'main' when 'x' then 'extended' else 'plain' end) as text
    from pg_attribute a join pg_type t on t.oid = a.atttypid and a.attstorage <> t.typstorage
    join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where ${own} and c.relkind in ('r', 'p') and a.attnum > 0
    union all
    select 1, c.relname, a.attname, format('alter table %I alter %I set statistics %s;', c.relname, a.attname, a.attstattarget)
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where ${own} and c.relkind = 'r' and a.attstattarget > 0
    union all
    select 2, c.relname, '', format('create view %s as%s', c.relname, pg_get_viewdef(c.oid))
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${own} and c.relkind = 'v'
    union all
    select 3, 'sequences', c.relname, format('create sequence %s as %s increment %s start %s cache %s%s;',
      c.relname, format_type(q.seqtypid, null), q.seqincrement, q.seqstart, q.seqcache, case when q.seqcycle then ' cycle' else '' end)
    from pg_sequence q join pg_class c on c.oid = q.seqrelid join pg_namespace n on n.oid = c.relnamespace
    where ${own} and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'i')
    union all
    select 4, 'functions', p.proname, replace(rtrim(pg_get_functiondef(p.oid)), 'FUNCTION public.', 'FUNCTION ') || ';'
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'public' and p.prokind in ('f', 'p')
    union all
    select 5, c.relname, k.conname, format('alter table %s add constraint %s %s;', c.relname, k.conname, pg_get_constraintdef(k.oid))
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
    where ${own} and k.contype = 'f'
    union all
    select 6, c.relname, i.relname, replace(replace(pg_get_indexdef(i.oid), ' ON ONLY ', ' ON '), 'public.', '') || ';'
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
    join pg_namespace n on n.oid = c.relnamespace
    where ${own} and not exists (select from pg_constraint k where k.conindid = i.oid and k.contype in ('p', 'u', 'x'))
    union all
    select 7, c.relname, t.tgname, replace(pg_get_triggerdef(t.oid), 'public.', '') || ';'
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    where ${own} and not t.tgisinternal
  ) objects
  order by kind, owner, name`;
