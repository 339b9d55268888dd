import { describe, expect, it } from 'vitest'
import { nearestNames, withKnownNames } from '../../src/tuning/known-names.js'
import { formatOf, readQueries } from '../../src/tuning/queries-file.js'

describe('a JSONL file', () => {
  it('has a query a line, with a BOM, CRLF, blank lines and further members', () => {
    const text =
      '\uFEFF{"query":" will it rain ","relevant":["get_weather"]}\r\n\r\n{"query":"hi","relevant":[],"draft":true,"by":"me"}\r\n'
    expect(readQueries(text, 'jsonl')).toEqual({
      queries: [
        { query: 'will it rain', relevant: ['get_weather'], isDraft: false, line: 1 },
        { query: 'hi', relevant: [], isDraft: true, line: 3 },
      ],
      badLines: [],
    })
  })

  it('has a tool that is named twice once', () => {
    expect(readQueries('{"query":"a","relevant":["x","x "]}', 'jsonl').queries[0]!.relevant).toEqual(['x'])
  })

  it.each([
    ['{"query":"a"', /no valid JSON/],
    ['["a"]', /expected \{"query"/],
    ['null', /got null/],
    ['{"relevant":[]}', /"query" to be text, got undefined/],
    ['{"query":"  ","relevant":[]}', /empty/],
    ['{"query":"a"}', /"relevant" to be an array.*got undefined/],
    ['{"query":"a","relevant":"x"}', /got "x"/],
    ['{"query":"a","relevant":["x",1]}', /names, got 1/],
    ['{"query":"a","relevant":[""]}', /names, got ""/],
    ['{"query":"a","relevant":[],"draft":"yes"}', /"draft"/],
  ])('says what is wrong with %s', (line, reason) => {
    const { queries, badLines } = readQueries(`{"query":"good","relevant":[]}\n${line}`, 'jsonl')
    expect(queries).toHaveLength(1)
    expect(badLines).toEqual([{ line: 2, reason: expect.stringMatching(reason) }])
  })

  it('lists every bad line', () => {
    const text = Array.from({ length: 100 }, (_, at) => (at % 2 ? '{"query":1}' : `{"query":"q${at}","relevant":[]}`))
    expect(readQueries(text.join('\n'), 'jsonl').badLines.map(({ line }) => line)).toEqual(
      Array.from({ length: 50 }, (_, at) => at * 2 + 2),
    )
  })

  it('cannot have a query that both fits something and nothing; twice the same is allowed', () => {
    const text = ['["x"]', '[]', '["y"]', '["x"]'].map(relevant => `{"query":"a","relevant":${relevant}}`).join('\n')
    const { queries, badLines } = readQueries(text, 'jsonl')
    expect(queries.map(({ line }) => line)).toEqual([1, 3, 4])
    expect(badLines).toEqual([{ line: 2, reason: expect.stringContaining('line 1 has this query, too') }])
  })
})

describe('a CSV file', () => {
  it('has quotes, line feeds in cells, names separated by ";" or "|", a BOM and CRLF', () => {
    const text = '\uFEFFid,query,relevant\r\n1,"say ""hi"", twice\nplease",a; b\r\n2,rain,x|y\r\n3,nothing,\r\n'
    expect(readQueries(text, 'csv')).toEqual({
      queries: [
        { query: 'say "hi", twice\nplease', relevant: ['a', 'b'], isDraft: false, line: 3 },
        { query: 'rain', relevant: ['x', 'y'], isDraft: false, line: 4 },
        { query: 'nothing', relevant: [], isDraft: false, line: 5 },
      ],
      badLines: [],
    })
  })

  it('may be separated by semicolons or tabs, and mark drafts', () => {
    expect(readQueries('Query;Relevant;draft\na, b;x|y;true', 'csv').queries).toEqual([
      { query: 'a, b', relevant: ['x', 'y'], isDraft: true, line: 2 },
    ])
    expect(readQueries('query\trelevant\na\tx;y', 'csv').queries[0]!.relevant).toEqual(['x', 'y'])
  })

  it('lists bad lines with the line where they end', () => {
    const text = 'query,relevant\nfine,x\na, b,x\nonly\n"",x\nalso fine,y\n'
    const { queries, badLines } = readQueries(text, 'csv')
    expect(queries.map(({ query }) => query)).toEqual(['fine', 'also fine'])
    expect(badLines).toEqual([
      { line: 3, reason: 'expected 2 cells, got 3: put a query with commas in quotes' },
      { line: 4, reason: 'expected 2 cells, got 1: leave a cell empty where nothing fits' },
      { line: 5, reason: 'the query is empty' },
    ])
  })

  it('lists a quote that never ends', () => {
    const { badLines } = readQueries('query,relevant\nfine,x\n"never ends,x\n', 'csv')
    expect(badLines).toEqual([{ line: expect.any(Number), reason: expect.stringMatching(/no valid CSV.*quote/i) }])
  })

  it('needs its header', () => {
    expect(readQueries('question,tools\na,b', 'csv').badLines).toEqual([
      { line: 1, reason: 'expected a header with query and relevant, got "question,tools"' },
    ])
    expect(readQueries('', 'csv').badLines).toHaveLength(1)
  })
})

describe('formatOf', () => {
  it.each([
    ['q.csv', '{', 'csv'],
    ['q.JSONL', 'query,relevant', 'jsonl'],
    ['-', ' {"query"', 'jsonl'],
    ['q.txt', 'query,relevant', 'csv'],
  ])('of %s that begins with %j is %s', (file, text, format) => {
    expect(formatOf(file, text)).toBe(format)
  })
})

describe('unknown names', () => {
  const names = new Set(['get_weather', 'get_weather_forecast', 'send_email', 'createIssue'])

  it('make their lines bad, with names that were meant', () => {
    const read = readQueries(
      '{"query":"a","relevant":["send_email","get_wether"]}\n{"query":"b","relevant":["send_email"]}\n{"query":"c","relevant":["constructor"]}',
      'jsonl',
    )
    expect(withKnownNames(read, names)).toEqual({
      queries: [expect.objectContaining({ query: 'b' })],
      badLines: [
        { line: 1, reason: 'there is no tool "get_wether". Did you mean "get_weather"?' },
        { line: 3, reason: 'there is no tool "constructor".' },
      ],
    })
  })

  it.each([
    ['create-issue', ['createIssue']],
    ['get_weather_', ['get_weather', 'get_weather_forecast']],
    ['sned_email', ['send_email']],
    ['email', ['send_email']],
    ['zzz', []],
    ['', []],
  ])('%j is near %j', (wanted, expected) => {
    expect(nearestNames(wanted, names)).toEqual(expected)
  })
})

describe('example queries beside the tools', () => {
  const text = `{
  "get_weather": { "exampleQueries": ["will it rain", " umbrella? "] },
  "get_tides": { "exampleQueries": ["umbrella?", 7] },
  "broken": ["x"]
}`

  it('are read as queries of each tool that has them, and bad ones are told with their line', () => {
    expect(formatOf('examples.json', text)).toBe('examples')
    expect(readQueries(text, 'examples')).toEqual({
      queries: [
        { query: 'will it rain', relevant: ['get_weather'], isDraft: false, line: 2 },
        { query: 'umbrella?', relevant: ['get_weather', 'get_tides'], isDraft: false, line: 2 },
      ],
      badLines: [
        { line: 3, reason: 'expected an example query of "get_tides" to be text, got 7' },
        { line: 4, reason: 'expected "broken" to have "exampleQueries", an array of texts, got an array' },
      ],
    })
  })

  it('leave out tools without, in a file of whole tools in any form', () => {
    const weather = { description: 'Weather.', exampleQueries: ['will it rain'] }
    const mail = { description: 'Mail.', inputSchema: { type: 'object' } }
    const queries = [{ query: 'will it rain', relevant: ['get_weather'], isDraft: false, line: expect.any(Number) }]
    const array = [
      { name: 'send_email', ...mail },
      { name: 'get_weather', ...weather },
    ]
    const nested = [
      { type: 'function', function: { name: 'send_email', description: 'Mail.' } },
      {
        type: 'function',
        function: { name: 'get_weather', description: 'Weather.' },
        exampleQueries: ['will it rain'],
      },
    ]
    for (const tools of [{ send_email: mail, get_weather: weather }, array, { tools: array }, nested]) {
      const file = JSON.stringify(tools, null, 2)
      expect(formatOf('tools.json', file)).toBe('examples')
      expect(readQueries(file, 'examples')).toEqual({ queries, badLines: [] })
    }
  })

  it('are missed where no tool has any, or a member looks like a slip', () => {
    const mail = { description: 'Mail.' }
    expect(readQueries(JSON.stringify({ mail, post: mail }), 'examples').badLines).toEqual([
      { line: 1, reason: 'none of 2 tools has "exampleQueries", an array of texts' },
    ])
    for (const member of ['exampleQuery', 'example_queries', 'examplequeries']) {
      const { badLines } = readQueries(JSON.stringify({ mail: { ...mail, [member]: ['write'] } }), 'examples')
      expect(badLines).toEqual([{ line: 1, reason: expect.stringMatching(/expected "mail" to have "exampleQueries"/) }])
    }
    const { badLines } = readQueries(JSON.stringify({ mail: { ...mail, exampleQueries: 'write' } }), 'examples')
    expect(badLines).toEqual([{ line: 1, reason: expect.stringMatching(/got "write"/) }])
  })

  it('are not what lines of JSONL are, or an array of labelled queries', () => {
    expect(formatOf('list.json', '[{"query": "x", "relevant": []}]')).toBe('jsonl')
  })

  it('are not what a single line of JSONL is', () => {
    expect(formatOf('one.json', '{"query": "x", "relevant": []}')).toBe('jsonl')
    expect(formatOf('x.csv', text)).toBe('csv')
  })
})
