"""Find what to fetch of a site: lists, links, address rules, periods, revisits. Does not import Scrapy."""
