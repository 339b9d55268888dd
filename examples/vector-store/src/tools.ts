import { createTool } from '@mastra/core/tools'
import { z } from 'zod'

const getWeather = createTool({
  id: 'get_weather',
  description: 'Current weather and a five-day forecast for a city',
  inputSchema: z.object({ city: z.string().describe('Name of the city') }),
  execute: async () => ({ forecast: 'sunny' }),
})

const createInvoice = createTool({
  id: 'create_invoice',
  description: 'Writes an invoice and sends it to a customer',
  inputSchema: z.object({ customer: z.string(), amount: z.number().describe('In cents') }),
  execute: async () => ({ number: 'A-1' }),
})

const mergePdfs = createTool({
  id: 'merge_pdfs',
  description: 'Joins several PDF files into one',
  inputSchema: z.object({ paths: z.array(z.string()) }),
  execute: async () => ({ path: 'merged.pdf' }),
})

export const allTools = { getWeather, createInvoice, mergePdfs }
