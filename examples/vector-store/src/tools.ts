import { createTool } from '@mastra/core/tools'
import { z } from 'zod'

const getWeather = createTool({
  id: 'get_weather',
  description: 'Current weather and a five-day forecast for a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, forecast: 'sunny' }),
})

const bookRoom = createTool({
  id: 'book_room',
  description: 'Books a meeting room of the office for an hour',
  inputSchema: z.object({ room: z.string(), start: z.string().describe('Date and time, ISO 8601') }),
  execute: async ({ room }) => ({ room, booked: true }),
})

export const allTools = { getWeather, bookRoom }

/** What a tenant may use. */
export const toolsOf = (tenant: string) => (tenant === 'acme' ? allTools : { getWeather })
