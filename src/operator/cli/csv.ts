/** A record of a CSV file, and the line that it begins on. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/**
 * Reads CSV as RFC 4180 has it: commas, double quotes that are doubled inside quotes, any line break. Records of no
 * text are skipped, a byte order mark is dropped.
 */
export async function* csvRecords(chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  const reader = createReader();
  for await (const chunk of chunks) {
    for (const character of chunk) {
      const record = reader.take(character);
      if (record) yield record;
    }
  }
  const last = reader.finish();
  if (last) yield last;
}

const isEmpty = (cells: readonly string[]): boolean => cells.length === 1 && cells[0] === '';

/** A state machine over characters. After a quote inside quotes only the next character tells whether it ended them. */
function createReader() {
  let state: 'bare' | 'quoted' | 'quote' = 'bare';
  let [cell, cells, line, begun]: [string, string[], number, number] = ['', [], 1, 1];

  const endRecord = (): CsvRecord | undefined => {
    const record = { line: begun, cells: [...cells, cell] };
    [state, cell, cells, begun] = ['bare', '', [], line];
    return isEmpty(record.cells) ? undefined : record;
  };
  const outside = (character: string): CsvRecord | undefined => {
    if (character === '\n') return endRecord();
    if (character === ',') {
      cells.push(cell);
      [state, cell] = ['bare', ''];
    } else if (character === '"' && cell === '') state = 'quoted';
    else if (character !== '\r' && character !== '\uFEFF') cell += character;
    return undefined;
  };
  return {
    take(character: string): CsvRecord | undefined {
      if (character === '\n') line += 1;
      if (state === 'quoted') {
        if (character === '"') state = 'quote';
        else cell += character;
        return undefined;
      }
      if (state === 'quote' && character === '"') {
        [state, cell] = ['quoted', `${cell}"`];
        return undefined;
      }
      return outside(character);
    },
    finish: endRecord,
  };
}
