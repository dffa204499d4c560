-- Magazine: pictures that reach the edges of pages, with narrow gaps and a few white pages in between.
return {
  summary = "pictures up to the edges of pages with narrow gaps, quiet pages between them",
  margin = { inner = 0.09, outer = 0.07, top = 0.07, bottom = 0.09 },
  gap = 0.008,
  type = { title = 48, heading = 22, caption = 8, text = 9.5 },
  baseline = 12,
  pictures = 2.2,
  templates = {
    { name = "whole page", area = "page", hero = true, slots = { { 0, 0, 1, 1, crop = 0.35 } } },
    { name = "framed", cost = 0.25, slots = { { 0, 0, 1, 1 } } },
    { name = "low frame", cost = 0.25, align = "bottom", slots = { { 0, 0.2, 1, 0.8 } } },
    { name = "whole spread", area = "page", spread = true, hero = true, cost = -0.4,
      slots = { { 0, 0, 1, 1, shape = { 1.45, 3.4 }, crop = 0.2 } } },
    { name = "upper band over two pages", area = "page", spread = true, cost = -0.8,
      align = "top", slots = { { 0, 0, 1, 0.75, shape = { 2, 6 }, crop = 0.25 } } },
    { name = "upper part of the page", area = "page", align = "top", slots = { { 0, 0, 1, 0.8, crop = 0.2 } } },
    { name = "lower part of the page", area = "page", align = "bottom", cost = 0.1,
      slots = { { 0, 0.2, 1, 0.8, crop = 0.2 } } },
    { name = "two halves, one above the other", area = "page", cost = -0.2, slots = {
      { 0, 0, 1, 0.5, crop = 0.2 }, { 0, 0.5, 1, 0.5, crop = 0.2 } } },
    { name = "two halves, side by side", area = "page", cost = -0.2, slots = {
      { 0, 0, 0.5, 1, crop = 0.2 }, { 0.5, 0, 0.5, 1, crop = 0.2 } } },
    { name = "framed pair", cost = 0.2, slots = { { 0, 0, 1, 0.5 }, { 0, 0.5, 1, 0.5 } } },
    { name = "large above small", cost = 0.2, slots = { { 0, 0, 1, 0.68, weight = 2 }, { 0.25, 0.68, 0.5, 0.32 } } },
    { name = "framed neighbours", cost = 0.2, slots = { { 0, 0, 0.5, 1 }, { 0.5, 0, 0.5, 1 } } },
    { name = "large above two", area = "page", cost = -0.2, slots = {
      { 0, 0, 1, 0.62, weight = 2, crop = 0.2 }, { 0, 0.62, 0.5, 0.38, crop = 0.2 }, { 0.5, 0.62, 0.5, 0.38, crop = 0.2 } } },
    { name = "two above large", area = "page", cost = -0.2, slots = {
      { 0, 0, 0.5, 0.38, crop = 0.2 }, { 0.5, 0, 0.5, 0.38, crop = 0.2 }, { 0, 0.38, 1, 0.62, weight = 2, crop = 0.2 } } },
    { name = "tall left of two", area = "page", cost = -0.2, slots = {
      { 0, 0, 0.6, 1, weight = 2, crop = 0.2 }, { 0.6, 0, 0.4, 0.5, crop = 0.2 }, { 0.6, 0.5, 0.4, 0.5, crop = 0.2 } } },
    { name = "two left of tall", area = "page", cost = -0.2, slots = {
      { 0, 0, 0.4, 0.5, crop = 0.2 }, { 0, 0.5, 0.4, 0.5, crop = 0.2 }, { 0.4, 0, 0.6, 1, weight = 2, crop = 0.2 } } },
    { name = "three bands", area = "page", slots = {
      { 0, 0, 1, 1 / 3, crop = 0.2 }, { 0, 1 / 3, 1, 1 / 3, crop = 0.2 }, { 0, 2 / 3, 1, 1 / 3, crop = 0.2 } } },
    { name = "three side by side", area = "page", slots = {
      { 0, 0, 1 / 3, 1, crop = 0.2 }, { 1 / 3, 0, 1 / 3, 1, crop = 0.2 }, { 2 / 3, 0, 1 / 3, 1, crop = 0.2 } } },
    { name = "upper row of two", area = "page", align = "top", cost = 0.1, slots = {
      { 0, 0, 0.5, 0.8, crop = 0.2 }, { 0.5, 0, 0.5, 0.8, crop = 0.2 } } },
    { name = "framed three", cost = 0.2, slots = {
      { 0, 0, 1, 0.6, weight = 2 }, { 0, 0.6, 0.5, 0.4 }, { 0.5, 0.6, 0.5, 0.4 } } },
    { name = "four to the edges", area = "page", slots = {
      { 0, 0, 0.5, 0.5, crop = 0.2 }, { 0.5, 0, 0.5, 0.5, crop = 0.2 }, { 0, 0.5, 0.5, 0.5, crop = 0.2 },
      { 0.5, 0.5, 0.5, 0.5, crop = 0.2 } } },
    { name = "two columns to the edges", area = "page", slots = {
      { 0, 0, 0.5, 0.6, crop = 0.2 }, { 0, 0.6, 0.5, 0.4, crop = 0.2 }, { 0.5, 0, 0.5, 0.4, crop = 0.2 },
      { 0.5, 0.4, 0.5, 0.6, crop = 0.2 } } },
    { name = "tall left of three", area = "page", slots = {
      { 0, 0, 0.65, 1, weight = 2, crop = 0.2 }, { 0.65, 0, 0.35, 1 / 3, crop = 0.2 },
      { 0.65, 1 / 3, 0.35, 1 / 3, crop = 0.2 }, { 0.65, 2 / 3, 0.35, 1 / 3, crop = 0.2 } } },
    { name = "large between two and one", area = "page", slots = {
      { 0, 0, 0.5, 0.3, crop = 0.2 }, { 0.5, 0, 0.5, 0.3, crop = 0.2 }, { 0, 0.3, 1, 0.4, weight = 2, crop = 0.2 },
      { 0, 0.7, 1, 0.3, crop = 0.2 } } },
    { name = "large above three", area = "page", slots = {
      { 0, 0, 1, 0.68, weight = 2, crop = 0.2 }, { 0, 0.68, 1 / 3, 0.32, crop = 0.2 },
      { 1 / 3, 0.68, 1 / 3, 0.32, crop = 0.2 }, { 2 / 3, 0.68, 1 / 3, 0.32, crop = 0.2 } } },
    { name = "framed four", cost = 0.2, slots = {
      { 0, 0, 0.5, 0.5 }, { 0.5, 0, 0.5, 0.5 }, { 0, 0.5, 0.5, 0.5 }, { 0.5, 0.5, 0.5, 0.5 } } },
    { name = "large above four", area = "page", cost = 0.2, slots = {
      { 0, 0, 1, 0.5, weight = 2, crop = 0.2 }, { 0, 0.5, 0.5, 0.25, crop = 0.2 }, { 0.5, 0.5, 0.5, 0.25, crop = 0.2 },
      { 0, 0.75, 0.5, 0.25, crop = 0.2 }, { 0.5, 0.75, 0.5, 0.25, crop = 0.2 } } },
    { name = "two above three to the edges", area = "page", cost = 0.2, slots = {
      { 0, 0, 0.5, 0.56, crop = 0.2 }, { 0.5, 0, 0.5, 0.56, crop = 0.2 }, { 0, 0.56, 1 / 3, 0.44, crop = 0.2 },
      { 1 / 3, 0.56, 1 / 3, 0.44, crop = 0.2 }, { 2 / 3, 0.56, 1 / 3, 0.44, crop = 0.2 } } },
    { name = "two columns of two and three", area = "page", cost = 0.2, slots = {
      { 0, 0, 0.55, 0.5, crop = 0.2 }, { 0, 0.5, 0.55, 0.5, crop = 0.2 }, { 0.55, 0, 0.45, 1 / 3, crop = 0.2 },
      { 0.55, 1 / 3, 0.45, 1 / 3, crop = 0.2 }, { 0.55, 2 / 3, 0.45, 1 / 3, crop = 0.2 } } },
    { name = "three rows of two to the edges", area = "page", cost = 0.4, slots = {
      { 0, 0, 0.5, 1 / 3, crop = 0.2 }, { 0.5, 0, 0.5, 1 / 3, crop = 0.2 }, { 0, 1 / 3, 0.5, 1 / 3, crop = 0.2 },
      { 0.5, 1 / 3, 0.5, 1 / 3, crop = 0.2 }, { 0, 2 / 3, 0.5, 1 / 3, crop = 0.2 },
      { 0.5, 2 / 3, 0.5, 1 / 3, crop = 0.2 } } },
    { name = "two columns of three to the edges", area = "page", cost = 0.4, slots = {
      { 0, 0, 0.5, 0.4, crop = 0.2 }, { 0, 0.4, 0.5, 0.3, crop = 0.2 }, { 0, 0.7, 0.5, 0.3, crop = 0.2 },
      { 0.5, 0, 0.5, 0.3, crop = 0.2 }, { 0.5, 0.3, 0.5, 0.3, crop = 0.2 }, { 0.5, 0.6, 0.5, 0.4, crop = 0.2 } } },
    { name = "framed five", cost = 0.3, slots = {
      { 0, 0, 0.5, 0.56 }, { 0.5, 0, 0.5, 0.56 },
      { 0, 0.56, 1 / 3, 0.44 }, { 1 / 3, 0.56, 1 / 3, 0.44 }, { 2 / 3, 0.56, 1 / 3, 0.44 } } },
    { name = "framed six", cost = 0.5, slots = {
      { 0, 0, 0.5, 1 / 3 }, { 0.5, 0, 0.5, 1 / 3 }, { 0, 1 / 3, 0.5, 1 / 3 }, { 0.5, 1 / 3, 0.5, 1 / 3 },
      { 0, 2 / 3, 0.5, 1 / 3 }, { 0.5, 2 / 3, 0.5, 1 / 3 } } },
    { name = "framed two and four", cost = 0.5, slots = {
      { 0, 0, 0.5, 0.6 }, { 0.5, 0, 0.5, 0.6 }, { 0, 0.6, 0.25, 0.4 }, { 0.25, 0.6, 0.25, 0.4 },
      { 0.5, 0.6, 0.25, 0.4 }, { 0.75, 0.6, 0.25, 0.4 } } },
    -- For declared pages with text of their own.
    { name = "text beside picture", align = "top", slots = { { 0, 0, 0.6, 1 } }, text = { 0.64, 0, 0.36, 1 } },
    { name = "text below picture", align = "bottom", slots = { { 0, 0, 1, 0.68 } }, text = { 0, 0.72, 1, 0.28 } },
  },
}
