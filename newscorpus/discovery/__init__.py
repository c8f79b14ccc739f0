"""Find out what is where on a site: feeds, sitemaps, links, addresses, frontier. Knows nothing of Scrapy."""
